package oracle

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// definition is the schema of a type in OpenAPI.
type definition struct {
	Kinds      []any `json:"x-kubernetes-group-version-kind"`
	Required   []string
	Properties map[string]property
}

type property struct {
	Enum                        []string
	Items, AdditionalProperties *property
}

// values returns the values that a property or its elements may have, as an api tag states them.
func (p property) values() string {
	switch {
	case len(p.Enum) > 0:
		return "publishEnum=" + strings.Join(p.Enum, "|")
	case p.Items != nil && len(p.Items.Enum) > 0:
		return "items." + p.Items.values()
	case p.AdditionalProperties != nil && len(p.AdditionalProperties.Enum) > 0:
		return "values." + p.AdditionalProperties.values()
	}
	return ""
}

// published returns what the definition states about a field beyond its type, as api tags.
func (d definition) published(field string) string {
	tags := d.Properties[field].values()
	if slices.Contains(d.Required, field) {
		tags = strings.TrimSuffix("publishRequired,"+tags, ",")
	}
	return tags
}

func (s side) definitions(t *testing.T) map[string]definition {
	t.Helper()
	var document struct{ Definitions map[string]definition }
	s.get(t, "/openapi/v2", &document)
	return document.Definitions
}

// removed are fields that the newer k8s.io/api of our program no longer has.
var removed = map[string]string{
	"io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus": "resources",
	"io.k8s.api.resource.v1.Device":                         "nodeAllocatableResourceMappings",
}

// The schemas of all kinds have the names and the fields that they have in Kubernetes. Ours may have more fields.
func TestOpenAPI(t *testing.T) {
	got := ourAPI(t).definitions(t)
	for name, want := range kubernetesAPI(t).definitions(t) {
		d, ok := got[name]
		if len(want.Kinds) > 0 && strings.HasPrefix(name, "io.k8s.api.") {
			assert.True(t, ok, "the schema of %v has the name %s", want.Kinds, name)
		}
		if ok {
			delete(want.Properties, removed[name])
			assert.Subset(t, slices.Collect(maps.Keys(d.Properties)), slices.Collect(maps.Keys(want.Properties)), name)
		}
	}
}
