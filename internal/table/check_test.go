package table_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/internal/table"
)

type shelf struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Size   int32             `json:"size"`
		Ports  []port            `json:"ports,omitempty"`
		Notes  map[string]string `json:"notes,omitempty"`
		Plugin json.RawMessage   `json:"plugin,omitempty"`
		Extra  map[string]any    `json:"extra,omitempty" api:"preserveUnknown"`
		Tags   []string          `json:"tags,omitempty"`
		Weight json.RawMessage   `json:"weight,omitempty" api:"intOrString"`
	} `json:"spec"`
	Status struct {
		Conditions []apimeta.Condition `json:"conditions,omitempty"`
	} `json:"status,omitzero"`
}

type port struct {
	Name string `json:"name"`
	Port int32  `json:"port"`
}

// The test checks which schema a path leads to, and where it leaves the schema.
func TestPathInSchema(t *testing.T) {
	s, err := schema.Derive(reflect.TypeFor[shelf](), schema.Options{})
	require.NoError(t, err)
	const anything = "anything"
	for path, want := range map[string]string{
		".":                                "object",
		".spec.size":                       "integer",
		".spec['size']":                    "integer",
		".spec.ports":                      "array",
		".spec.ports[0].port":              "integer",
		".spec.ports[-1].name":             "string",
		".spec.ports[*].port":              "integer",
		`.spec.ports[?(@.name=="a")].port`: "integer",
		".spec.tags[0]":                    "string",
		`.spec.tags[?(@=="a")]`:            "string",
		".spec.notes.any":                  "string",
		".spec.notes[*]":                   "string",
		".spec.ports[-1:].port":            "integer",
		".spec.ports[0,1].port":            anything,
		".spec..port":                      anything,
		".spec[*]":                         anything,
		".spec[*].port":                    anything,
		".spec.plugin.a[0].b":              anything,
		".spec.extra.a.b":                  anything,
		".metadata.labels.app":             "string",
		".metadata.creationTimestamp":      "string",
		".metadata.ownerReferences[0].uid": "string",
		`.status.conditions[?(@.type=="Ready")].status`: "string",
	} {
		p, err := table.ParsePath(path)
		require.NoError(t, err)
		found, err := p.In(s)
		require.NoError(t, err, path)
		got := anything
		if found != nil && !found.Anything() {
			got = found.Type
		}
		assert.Equal(t, want, got, path)
	}
	for path, want := range map[string]string{
		".Spec.Size":              `the object has no field "Spec": it has apiVersion, kind, metadata, spec, status`,
		".spec.sise":              `spec has no field "sise": it has extra, notes, plugin, ports, size, tags, weight`,
		".spec.size.x":            `spec.size has no field "x"`,
		".spec.weight.x":          `spec.weight has no field "x"`,
		".spec.notes.any.x":       `spec.notes.any has no field "x"`,
		".spec.ports.port":        `spec.ports has no field "port"`,
		".spec.ports[0].prot":     `spec.ports[] has no field "prot": it has name, port`,
		".spec.size[0]":           `spec.size is not a list`,
		".spec.size[*]":           `spec.size is not a list`,
		".spec.notes[0]":          `spec.notes is not a list`,
		"[0]":                     `the object is not a list`,
		".metadata.label.app":     `metadata has no field "label": it has annotations, `,
		".spec.ports[*].x":        `spec.ports[] has no field "x": it has name, port`,
		".spec.ports[1:].x":       `spec.ports[] has no field "x": it has name, port`,
		".spec['size','x']":       `spec has no field "x": it has extra, notes, plugin, ports, size, tags, weight`,
		".spec.ports[?(@.x)]":     `spec.ports[] has no field "x": it has name, port`,
		".spec[?(@.x)].name":      `spec is not a list`,
		".status.conditions.type": `status.conditions has no field "type"`,
	} {
		p, err := table.ParsePath(path)
		if !assert.NoError(t, err) {
			continue
		}
		_, err = p.In(s)
		assert.ErrorContains(t, err, "table: path \""+path+"\": "+want)
	}
}
