// Package querytest compares queries with a filter and a sort of all objects, over any store. The tests of the stores
// share it.
package querytest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Crate is the kind of the model.
type Crate struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec CrateSpec `json:"spec"`
}

// CrateSpec has a field of each type that clients can query.
type CrateSpec struct {
	Color string `json:"color,omitempty"`
	Size  *int64 `json:"size,omitempty"`
	Full  bool   `json:"full,omitempty"`
}

// Resource is the name of the kind.
var Resource = apimeta.GroupResource{Group: "example.com", Resource: "crates"}

const (
	everywhere = "/apis/example.com/v1/crates"
	inA        = "/apis/example.com/v1/namespaces/a/crates"
	inB        = "/apis/example.com/v1/namespaces/b/crates"
)

// declarations are what the kind declares, one after the other. The indexes of the store change with each.
var declarations = []rest.Resource[Crate]{
	{SelectableFields: []string{"spec.color", "spec.size"}, IndexedLabels: []string{"tier"}},
	{SelectableFields: []string{"spec.size", "spec.full", "spec.color"}},
}

func declared(n int) rest.Resource[Crate] {
	r := declarations[n]
	r.Group, r.Version, r.Plural = Resource.Group, "v1", Resource.Resource
	return r
}

// fields are those that a query may name in each declaration.
func fields(n int) []string {
	return append([]string{"metadata.name", "metadata.namespace", "metadata.creationTimestamp", "metadata.labels.tier"},
		declarations[n].SelectableFields...)
}

// value returns the value of a field of a crate, or "" if the crate does not have it.
func value(c *Crate, field string) string {
	switch field {
	case "metadata.name":
		return c.Name
	case "metadata.namespace":
		return c.Namespace
	case "metadata.creationTimestamp":
		return c.CreationTimestamp.UTC().Format(time.RFC3339)
	case "metadata.labels.tier":
		return c.Labels["tier"]
	case "spec.color":
		return c.Spec.Color
	case "spec.size":
		if c.Spec.Size != nil {
			return strconv.FormatInt(*c.Spec.Size, 10)
		}
		return ""
	case "spec.full":
		if c.Spec.Full {
			return "true"
		}
		return ""
	}
	panic("unknown field " + field)
}

func keyOf(c *Crate) string { return fmt.Sprint(c.Namespace, "/", c.Name) }
