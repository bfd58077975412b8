package schema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// internal/test/oracle compares schemas from OpenAPI with kube-apiserver. The tests of this file cover what a schema may say
// at all.

func decode(t testing.TB, json string) doc.Value {
	t.Helper()
	v, _, err := codec.DecodeJSON([]byte(json))
	require.NoError(t, err)
	return v
}

// fromOpenAPI returns the schema of objects whose field spec has this schema.
func fromOpenAPI(t testing.TB, spec string) *schema.Schema {
	t.Helper()
	s, err := schema.ReadOpenAPI([]byte(`{"type":"object","properties":{"spec":` + spec + `}}`))
	require.NoError(t, err)
	return s
}

func TestFromOpenAPIRefuses(t *testing.T) {
	for _, c := range []struct{ name, spec, want string }{
		{"a wrong type of a keyword", `{"type":"string","maxLength":"x"}`,
			"schema: spec: maxLength: must be an integer, not string"},
		{"an unknown type", `{"type":"text"}`, `schema: spec: type: "text" is not a JSON type`},
		{"an unknown keyword", `{"type":"object","properties":{"size":{"type":"integer","minimun":1}}}`,
			"schema: spec.size: minimun: unknown keyword"},
		{"a keyword without support", `{"$ref":"#/definitions/x"}`,
			"schema: spec: $ref: OpenAPIV3Schema 'ref' is not supported"},
		{"several schemas of elements", `{"type":"array","items":[{"type":"string"}]}`,
			"schema: spec: items: OpenAPIV3Schema 'items' must be a schema, but is an array"},
		{"unique elements", `{"type":"array","items":{"type":"string"},"uniqueItems":true}`,
			"uniqueItems cannot be set to true since the runtime complexity becomes quadratic"},
		{"an invalid pattern", `{"type":"array","items":{"type":"string","pattern":"("}}`,
			"schema: spec[]: pattern: must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`"},
		{"a pattern that explodes", `{"type":"string","pattern":"((a{100}){100}){100}"}`,
			"must be a valid regular expression, but isn't: error parsing regexp: invalid repeat count"},
		{"a schema that is not an object", `{"type":"object","additionalProperties":7}`,
			"schema: spec.{}: schema: must be an object, not number"},
		{"unknown fields pruned on purpose", `{"type":"object","x-kubernetes-preserve-unknown-fields":false}`,
			"must be true or undefined"},
		{"a rule of a wrong type", `{"type":"object","x-kubernetes-validations":[{"rule":true}]}`,
			"x-kubernetes-validations: rule: must be a string, not boolean"},
		{"a default that explodes", exploding(), "default: it is too large with the defaults below it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := schema.ReadOpenAPI([]byte(`{"type":"object","properties":{"spec":` + c.spec + `}}`))
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := schema.ReadOpenAPI([]byte(`{"type":"array","items":{"type":"string"}}`))
	require.ErrorContains(t, err, "schema: the root: type: must be object at the root")
}

// exploding returns a schema whose default contains two million values.
func exploding() string {
	many := func(element string) string { return "[" + strings.Repeat(element+",", 1999) + element + "]" }
	return `{"type":"array","default":` + many("{}") +
		`,"items":{"type":"object","properties":{"a":{"type":"array","default":` + many("1") +
		`,"items":{"type":"integer"}}}}}`
}

// A description does not change the fingerprint, and every rule does.
func TestFingerprintsFromOpenAPI(t *testing.T) {
	print := func(spec string) string { return fromOpenAPI(t, spec).Fingerprint() }
	plain := print(`{"type":"object","properties":{"description":{"type":"string"}}}`)
	assert.Equal(t, plain, print(`{"type":"object","title":"t","properties":{"description":{"type":"string","description":"d","example":"e"}}}`))
	assert.NotEqual(t, plain, print(`{"type":"object","properties":{"description":{"type":"string","maxLength":5}}}`))
	assert.NotEqual(t, plain, print(`{"type":"object","properties":{"description":{"type":"string"}},"anyOf":[{"required":["description"]}]}`))
}

// An embedded resource keeps its apiVersion, kind and metadata. Unknown fields of the metadata are unknown there, too.
func TestEmbeddedResources(t *testing.T) {
	s := fromOpenAPI(t,
		`{"type":"object","properties":{"template":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}}`)
	assert.True(t, s.At("spec", "template").IsEmbedded())
	pruned, unknown := s.Prune(decode(t,
		`{"spec":{"template":{"apiVersion":"v1","kind":"A","metadata":{"name":"n","colour":"red"},"spec":{"a":"x","b":1},"c":2}}}`))
	assert.Equal(t, `{"spec":{"template":{"apiVersion":"v1","kind":"A","metadata":{"name":"n"},"spec":{"a":"x"}}}}`,
		string(codec.AppendJSON(nil, pruned)))
	assert.Equal(t, []string{"spec.template.c", "spec.template.metadata.colour", "spec.template.spec.b"}, unknown)
}

// The root has metadata even if the schema does not declare it, and the schema may restrict the name.
func TestMetadataOfTheRoot(t *testing.T) {
	s, err := schema.ReadOpenAPI([]byte(`{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":3}}}}}`))
	require.NoError(t, err)
	v, unknown := s.Prune(decode(t, `{"apiVersion":"v1","kind":"A","metadata":{"name":"long","labels":{"a":"b"}}}`))
	assert.Empty(t, unknown)
	errs := s.CheckRules(nil, v, doc.Value{})
	require.Len(t, errs, 1)
	assert.Equal(t, "metadata.name: Too long: may not be more than 3 bytes", errs[0].Error())
	assert.Empty(t, s.CheckRules(nil, v, v), "an update may keep it")
}

// Patterns are compiled at first use, and large schemas are read in one pass.
func TestLargeSchemas(t *testing.T) {
	var fields []string
	for i := range 5000 {
		fields = append(fields, `"f`+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26)+
			`":{"type":"string","pattern":"^[a-z]{1,200}$"}`)
	}
	s := fromOpenAPI(t, `{"type":"object","properties":{`+strings.Join(fields, ",")+`}}`)
	assert.NotNil(t, s.At("spec", "fa"))
	deep := `{"type":"string"}`
	value := `"x"`
	for range 500 {
		deep, value = `{"type":"object","properties":{"a":`+deep+`}}`, `{"a":`+value+`}`
	}
	s = fromOpenAPI(t, deep)
	v := decode(t, `{"spec":`+value+`}`)
	pruned, unknown := s.Prune(v)
	assert.Empty(t, unknown)
	assert.Empty(t, s.CheckRules(nil, s.Default(pruned), v))
}
