package openapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// OpenAPI 3.0 publishes the schema of a kind without a Go struct as it was declared. Swagger 2.0 leaves out what
// kubectl cannot read.
func TestOpenAPIOfDocuments(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) {
		r.Description = "A lantern."
		r.Schema.OpenAPI = []byte(`{"type":"object","properties":{
			"spec":{"type":"object","title":"T","required":["a","b"],"anyOf":[{"required":["a"]}],"properties":{
				"a":{"type":"string","nullable":true,"example":"x"},
				"b":{"type":"array","items":{"type":"string"},"x-kubernetes-preserve-unknown-fields":true},
				"c":{"type":"object","additionalProperties":true},
				"template":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object"}}}}}}}`)
	}))
	schemaIn := func(target string, path ...string) map[string]any {
		a := apitest.Do(t, api, "GET", target, "")
		require.Equal(t, 200, a.Code, a.Body)
		var all map[string]any
		require.NoError(t, json.Unmarshal([]byte(a.Body), &all))
		for _, key := range path {
			all = all[key].(map[string]any)
		}
		return all["com.example.home.v1.Lantern"].(map[string]any)
	}
	for _, c := range []struct {
		name, ref, spec string
		schema          map[string]any
	}{
		{"OpenAPI 3.0", "#/components/schemas/",
			`{"type":"object","title":"T","required":["a","b"],"anyOf":[{"required":["a"]}],"properties":{
			"a":{"type":"string","nullable":true,"example":"x"},
			"b":{"type":"array","items":{"type":"string"},"x-kubernetes-preserve-unknown-fields":true},
			"c":{"type":"object","additionalProperties":true}}}`,
			schemaIn("/openapi/v3/apis/home.example.com/v1", "components", "schemas")},
		{"Swagger 2.0", "#/definitions/", `{"type":"object","title":"T","required":["b"],"properties":{
			"a":{"example":"x"},
			"b":{"x-kubernetes-preserve-unknown-fields":true},
			"c":{"type":"object","additionalProperties":true}}}`,
			schemaIn("/openapi/v2", "definitions")},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, "A lantern.", c.schema["description"])
			assert.Equal(t, []any{map[string]any{"group": "home.example.com", "kind": "Lantern", "version": "v1"}},
				c.schema["x-kubernetes-group-version-kind"])
			properties := c.schema["properties"].(map[string]any)
			assert.Contains(t, marshal(t, properties["metadata"]), c.ref+"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
			assert.Contains(t, properties, "apiVersion")
			spec := properties["spec"].(map[string]any)
			template := spec["properties"].(map[string]any)["template"].(map[string]any)
			delete(spec["properties"].(map[string]any), "template")
			assert.JSONEq(t, c.spec, marshal(t, spec))
			assert.Equal(t, []any{"kind", "apiVersion"}, template["required"])
			assert.Contains(t, template["properties"], "metadata")
		})
	}
}

// kube-apiserver 1.37.2 published these schemas for the same definition. Each case is one property of it.
func TestOpenAPIOfDocumentsAsRecorded(t *testing.T) {
	const types = `"anyOf":[{"type":"integer"},{"type":"string"}]`
	const mark = `"x-kubernetes-int-or-string":true`
	cases := []struct{ name, declared, v3, v2 string }{
		{"bare", `{` + mark + `}`, `{` + mark + `,` + types + `}`, `{` + mark + `}`},
		{"nullable", `{` + mark + `,"nullable":true}`, `{` + mark + `,"nullable":true,` + types + `}`, `{` + mark + `}`},
		{"types", `{` + mark + `,` + types + `}`, `{` + mark + `,` + types + `}`, `{` + mark + `}`},
		{"pattern", `{` + mark + `,"pattern":"^a",` + types + `}`, `{` + mark + `,"pattern":"^a",` + types + `}`,
			`{` + mark + `,"pattern":"^a"}`},
		{"all", `{` + mark + `,"allOf":[{` + types + `},{"pattern":"^a"}]}`,
			`{` + mark + `,"allOf":[{` + types + `},{"pattern":"^a"}]}`, `{` + mark + `}`},
		{"other", `{` + mark + `,"anyOf":[{"pattern":"^a"}]}`,
			`{` + mark + `,"anyOf":[{"pattern":"^a"}],"allOf":[{` + types + `}]}`, `{` + mark + `}`},
		{"items", `{"type":"array","items":{` + mark + `}}`, `{"type":"array","items":{` + mark + `,` + types + `}}`,
			`{"type":"array","items":{` + mark + `}}`},
		{"default", `{"type":"string","default":"a"}`, `{"type":"string","default":"a"}`, `{"type":"string"}`},
	}
	properties := make([]string, 0, len(cases))
	for _, c := range cases {
		properties = append(properties, `"`+c.name+`":`+c.declared)
	}
	api := apitest.New(t, rest.Options{}, apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) {
		r.Schema.OpenAPI = []byte(`{"type":"object","properties":{"spec":{"type":"object","properties":{` +
			strings.Join(properties, ",") + `}}}}`)
	}))
	propertiesIn := func(target string, path ...string) map[string]any {
		var all map[string]any
		require.NoError(t, json.Unmarshal([]byte(apitest.Do(t, api, "GET", target, "").Body), &all))
		for _, key := range append(path, "com.example.home.v1.Lantern", "properties", "spec", "properties") {
			all = all[key].(map[string]any)
		}
		return all
	}
	v3, v2 := propertiesIn("/openapi/v3/apis/home.example.com/v1", "components", "schemas"),
		propertiesIn("/openapi/v2", "definitions")
	for _, c := range cases {
		assert.JSONEq(t, c.v3, marshal(t, v3[c.name]), "%s, OpenAPI 3.0", c.name)
		assert.JSONEq(t, c.v2, marshal(t, v2[c.name]), "%s, Swagger 2.0", c.name)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
