package cel_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
)

// ruled returns a kind without a Go struct, whose spec has these rules.
func ruled(rules string, checked bool) rest.Resource[apimeta.Document] {
	return rest.Resource[apimeta.Document]{Group: "example.com", Version: "v1", Plural: "boxes",
		Names: rest.Names{Kind: "Box"}, Schema: rest.Schema{CEL: cel.Evaluator(), RulesChecked: checked,
			OpenAPI: []byte(`{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":` + rules +
				`,"properties":{
			"min":{"type":"integer"},"max":{"type":"integer"},"port":{"x-kubernetes-int-or-string":true},
			"free":{"type":"object","additionalProperties":true},"any":{"x-kubernetes-preserve-unknown-fields":true},
			"template":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object","properties":{"a":{"type":"string","maxLength":5}}}}}}}}}`)}}
}

func send(api http.Handler, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, "/apis/example.com/v1/namespaces/default/boxes"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", map[string]string{"PATCH": "application/merge-patch+json",
		"POST": "application/json"}[method])
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// The rules of a schema are those of a kind without a Go struct, whether they are compiled at once or at the first
// write.
func TestRulesOfDocuments(t *testing.T) {
	for _, checked := range []bool{false, true} {
		api, err := rest.New(rest.Options{}, ruled(`[
			{"rule":"!has(self.min) || !has(self.max) || self.min <= self.max","messageExpression":"self.min > 3 ? 'min is large' : 'min is small'","fieldPath":".min","reason":"FieldValueForbidden"},
			{"rule":"!has(self.port) || type(self.port) == int","message":"a number, please"},
			{"rule":"!has(self.template) || self.template.metadata.name == 'n'"},
			{"rule":"!has(oldSelf.max) || self.max >= oldSelf.max","message":"max never falls"}]`, checked))
		require.NoError(t, err)
		code, body := send(api, "POST", "",
			`{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"},"spec":{"min":1,"max":2,"port":80,
			"free":{"k":1},"any":[1],"template":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"},"spec":{"a":"x"}}}}`)
		require.Equal(t, http.StatusCreated, code, body)
		for patch, want := range map[string]string{
			`{"spec":{"min":5}}`: `spec.min: Forbidden: min is large`, `{"spec":{"port":"x"}}`: `a number, please`,
			`{"spec":{"max":1}}`:                              `max never falls`,
			`{"spec":{"template":{"metadata":{"name":"m"}}}}`: `failed rule: !has(self.template)`,
		} {
			code, body := send(api, "PATCH", "/a", patch)
			assert.Equal(t, http.StatusUnprocessableEntity, code, patch)
			assert.Contains(t, body, want)
		}
		require.NoError(t, api.Close())
	}
}

// embedding returns a kind whose spec embeds a resource. Its schema and the rules of the spec are given.
func embedding(rules, properties string) rest.Resource[apimeta.Document] {
	return rest.Resource[apimeta.Document]{Group: "example.com", Version: "v1", Plural: "boxes",
		Names: rest.Names{Kind: "Box"}, Schema: rest.Schema{CEL: cel.Evaluator(),
			OpenAPI: []byte(`{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":` + rules +
				`,"properties":{"pod":{"type":"object","x-kubernetes-embedded-resource":true,
				"x-kubernetes-preserve-unknown-fields":true,"properties":{` + properties + `}}}}}}`)}}
}

// Rules see apiVersion, kind and the two names of an embedded resource. They see further metadata if the schema
// declares it beside all of these.
func TestRulesSeeTheNamesOfEmbeddedResources(t *testing.T) {
	const (
		name  = `"metadata":{"type":"object","properties":{"name":{"type":"string"}}}`
		whole = `"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object","properties":{` +
			`"name":{"type":"string"},"generateName":{"type":"string"},"creationTimestamp":{"type":"string"},` +
			`"labels":{"type":"object","additionalProperties":{"type":"string"}}}}`
	)
	for _, c := range []struct{ name, properties, rule, fault string }{
		{"names", "", "has(self.pod.metadata.name) && !has(self.pod.metadata.generateName)", ""},
		{"type", "", "self.pod.kind == 'Pod' && self.pod.apiVersion == 'v1'", ""},
		{"labels", name, "has(self.pod.metadata.labels)", "undefined field 'labels'"},
		{"namespace", name, "has(self.pod.metadata.namespace)", "undefined field 'namespace'"},
		{"labels that nothing declares", "", "has(self.pod.metadata.labels)", "undefined field 'labels'"},
		{"declared labels", whole, "self.pod.metadata.labels['a'] == 'b'", ""},
		{"declared text", whole, "self.pod.metadata.creationTimestamp.startsWith('2020')", ""},
		{"annotations beside declared labels", whole, "has(self.pod.metadata.annotations)", "undefined field 'annotations'"},
		{"labels without a declared kind", strings.Replace(whole, `"kind":{"type":"string"},`, "", 1),
			"has(self.pod.metadata.labels)", "undefined field 'labels'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api, err := rest.New(rest.Options{}, embedding(`[{"rule":"!has(self.pod) || `+c.rule+`"}]`, c.properties))
			if c.fault != "" {
				require.ErrorContains(t, err, c.fault)
				return
			}
			require.NoError(t, err)
			code, body := send(api, "POST", "", `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"},
				"spec":{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n","labels":{"a":"b"},
				"creationTimestamp":"2020-01-02T03:04:05Z"}}}}`)
			assert.Equal(t, http.StatusCreated, code, body)
			require.NoError(t, api.Close())
		})
	}
}

// Rules about the names in the metadata are evaluated, those of the object and those of an embedded resource.
func TestRulesOfNames(t *testing.T) {
	const rule = `"x-kubernetes-validations":[{"rule":"self.startsWith('ok')","message":"bad name"}]`
	const metadata = `"metadata":{"type":"object","properties":{"name":{"type":"string",` + rule + `}}}`
	kind := embedding(`[{"rule":"true"}]`, metadata)
	kind.Schema.OpenAPI = []byte(strings.Replace(string(kind.Schema.OpenAPI), `"properties":{`, `"properties":{`+metadata+`,`, 1))
	api, err := rest.New(rest.Options{}, kind)
	require.NoError(t, err)
	create := func(name, inside string) (int, string) {
		return send(api, "POST", "", `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"`+name+`"},
			"spec":{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"`+inside+`"}}}}`)
	}
	code, body := create("ok", "ok")
	assert.Equal(t, http.StatusCreated, code, body)
	for field, names := range map[string][2]string{"metadata.name": {"a", "ok"}, "spec.pod.metadata.name": {"ok-2", "a"}} {
		code, body = create(names[0], names[1])
		assert.Equal(t, http.StatusUnprocessableEntity, code, body)
		assert.Contains(t, body, field+`: Invalid value: \"a\": bad name`)
	}
	require.NoError(t, api.Close())
}

// A rule that compares a value with the older one notices changes of members that expressions cannot name.
func TestRulesCompareMembersThatTheyDoNotSee(t *testing.T) {
	api, err := rest.New(rest.Options{}, embedding(
		`[{"rule":"!has(self.pod) || !has(oldSelf.pod) || self.pod == oldSelf.pod","message":"immutable"}]`, ""))
	require.NoError(t, err)
	code, body := send(api, "POST", "", `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"},
		"spec":{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":[1]}}}}`)
	require.Equal(t, http.StatusCreated, code, body)
	for _, pod := range []string{`{"metadata":{"labels":{"a":"c"}}}`, `{"metadata":{"annotations":{"a":"c"}}}`,
		`{"spec":{"x":[2]}}`, `{"spec":null}`, `{"more":1}`, `{"kind":"Other"}`} {
		code, body := send(api, "PATCH", "/a", `{"spec":{"pod":`+pod+`}}`)
		assert.Equal(t, http.StatusUnprocessableEntity, code, pod)
		assert.Contains(t, body, "immutable")
	}
	code, body = send(api, "PATCH", "/a", `{"metadata":{"labels":{"x":"y"}},"spec":{"pod":{"spec":{"x":[1.0]}}}}`)
	assert.Equal(t, http.StatusOK, code, body)
	require.NoError(t, api.Close())
}

// New refuses invalid rules, unless the host says that it has checked them. Then every write fails.
func TestInvalidRulesOfDocuments(t *testing.T) {
	invalid := `[{"rule":"self.missing"}]`
	_, err := rest.New(rest.Options{}, ruled(invalid, false))
	require.ErrorContains(t, err, "undefined field 'missing'")
	api, err := rest.New(rest.Options{}, ruled(invalid, true))
	require.NoError(t, err)
	code, body := send(api, "POST", "", `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"},"spec":{}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, body, "undefined field 'missing'")
	require.NoError(t, api.Close())
}
