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
		Names: rest.Names{Kind: "Box"}, Rules: cel.New(nil), Schema: rest.Schema{RulesChecked: checked,
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
