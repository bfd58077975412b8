package apiextensions_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// The seeds are schemas, and whether Go writes them as they are.
var unionSeeds = []struct {
	schema string
	same   bool
}{
	{`{"items":{"type":"object","properties":{"a":{"items":{"type":"string"}}}}}`, true},
	{`{"items":[{"type":"string"},{"items":[{}]}]}`, true},
	{`{"items":[]}`, false},
	{`{"items":{"items":[]}}`, false},
	{`{"items":1}`, false},
	{`{"items":null}`, false},
	{`{"items":{"type":""}}`, false},
	{`{"items":{"type":"string","title":null}}`, false},
	{`{"items":{"unknown":1}}`, false},
	{`{"additionalProperties":{"additionalProperties":{"type":"string"}}}`, true},
	{`{"additionalProperties":true}`, true},
	{`{"additionalProperties":false}`, true},
	{`{"additionalProperties":{}}`, true},
	{`{"additionalProperties":{"maxLength":0}}`, true},
	{`{"additionalProperties":{"pattern":""}}`, false},
	{`{"additionalProperties":null}`, false},
	{`{"additionalProperties":"x"}`, false},
	{`{"additionalItems":{"type":"string"}}`, true},
	{`{"dependencies":{"a":["b"],"c":{"type":"string"}}}`, true},
	{`{"dependencies":{"a":[]}}`, false},
	{`{"default":1.50,"enum":["a",null,{"b":[1e2,"\u003c"]}],"example":{"x":""}}`, true},
	{`{"default":null}`, false},
	{`{"enum":[]}`, false},
	{`{"maximum":1.50,"minimum":1e2}`, true}, // a document has numbers in one form
	{`{"properties":{"a":{"nullable":false}}}`, false},
	{`{"x-kubernetes-validations":[{"rule":"","reason":""}]}`, true},
}

// FuzzUnions compares what the API finds out about a schema from its text with what Go writes.
func FuzzUnions(f *testing.F) {
	for _, seed := range unionSeeds {
		f.Add([]byte(seed.schema))
	}
	shape := schema.ShapeOf(reflect.TypeFor[apiextensions.JSONSchemaProps]())
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := codec.DecodeJSON(data)
		if err != nil || !shape.Holds(v) {
			return
		}
		var s apiextensions.JSONSchemaProps
		require.NoError(t, codec.ToGo(v, &s))
		written, err := codec.FromGo(&s)
		require.NoError(t, err)
		assert.Equal(t, string(codec.AppendJSON(nil, v)), string(codec.AppendJSON(nil, written)))
	})
}

func TestSchemasThatGoWritesUnchanged(t *testing.T) {
	shape := schema.ShapeOf(reflect.TypeFor[apiextensions.JSONSchemaProps]())
	for _, seed := range unionSeeds {
		v, _, err := codec.DecodeJSON([]byte(seed.schema))
		require.NoError(t, err)
		assert.Equal(t, seed.same, shape.Holds(v), seed.schema)
	}
}
