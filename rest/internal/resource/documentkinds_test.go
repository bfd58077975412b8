package resource_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

var lanternsV1 = apimeta.GroupVersionResource{Group: "home.example.com", Version: "v1", Resource: "lanterns"}

// New refuses a kind without a Go struct that it cannot serve.
func TestNewRefusesDocuments(t *testing.T) {
	type Lantern struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
	}
	with := func(schema string) rest.Definition {
		return apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) { r.Schema.OpenAPI = []byte(schema) })
	}
	for _, c := range []struct {
		name string
		of   rest.Definition
		want string
	}{
		{"no name", apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) { r.Names.Kind = "" }),
			"Names.Kind: must be set, because the kind has no Go struct"},
		{"no JSON", with("type: object"), "Schema: "},
		{"a duplicate", with(`{"type":"object","type":"object"}`), "Schema: schema: duplicate member type"},
		{"an invalid schema", with(`{"type":"object","properties":{"spec":{"type":"thing"}}}`),
			`Schema: schema: spec: type: "thing" is not a JSON type`},
		{"rules without their evaluator", with(`{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}`),
			"set Schema.CEL to cel.Evaluator()"},
		{"an overlay", apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) {
			r.Overlay = map[string]string{"Lantern": "doc=x"}
		}), "Overlay: it adds to a Go type"},
		{"an unknown selectable field",
			apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) { r.SelectableFields = []string{"spec.size"} }),
			`SelectableFields: "spec.size": unknown field`},
		{"a schema for a struct", rest.Resource[Lantern]{Group: "home.example.com", Version: "v1", Plural: "lanterns",
			Schema: rest.Schema{Status: true}}, "the kind has a Go struct"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rest.New(rest.Options{}, c.of)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// ClientForResource finds one of several kinds without a Go struct, and ClientForType does not.
func TestClientForResource(t *testing.T) {
	switches := apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) {
		r.Plural, r.Names.Kind = "switches", "Switch"
	})
	api := apitest.New(t, rest.Options{}, apitest.Lanterns(), switches, apitest.WidgetResource())
	ctx := t.Context()
	for _, c := range []struct {
		name, want string
		of         apimeta.GroupVersionResource
	}{
		{"lanterns", "", lanternsV1},
		{"switches", "", apimeta.GroupVersionResource{Group: "home.example.com", Version: "v1", Resource: "switches"}},
		{"another version", "the API does not serve",
			apimeta.GroupVersionResource{Group: "home.example.com", Version: "v2", Resource: "lanterns"}},
		{"a kind with a struct", "not apimeta.Document",
			apimeta.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, err := rest.ClientForResource[apimeta.Document](api, c.of)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			_, err = client.List(ctx, rest.ListOptions{})
			require.NoError(t, err)
		})
	}
	_, err := rest.ClientForType[apimeta.Document](api)
	require.ErrorContains(t, err, "is the type of more than one resource")
	_, err = apitest.ClientOf[apitest.Widget](t, api,
		apimeta.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}).
		List(ctx, rest.ListOptions{})
	require.NoError(t, err)
}

// Hooks see and change a document. What they do not change stays as the client sent it, digit by digit.
func TestHooksOnDocuments(t *testing.T) {
	content := func(d *apimeta.Document, part string) map[string]any {
		m, _ := d.Content[part].(map[string]any)
		return m
	}
	api := apitest.New(t, rest.Options{}, apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) {
		r.Columns = []rest.Column{rest.ColumnFunc(rest.Column{Name: "Watts"},
			func(d *apimeta.Document) any { return content(d, "spec")["watts"] })}
		r.Hooks = rest.Hooks[apimeta.Document]{
			Default: func(_ context.Context, d *apimeta.Document) error {
				if spec := content(d, "spec"); d.Name == "red" && spec["color"] == "white" {
					d.Annotations = map[string]string{"defaulted": "yes"}
				}
				return nil
			},
			Prepare: func(_ context.Context, d, old *apimeta.Document) error {
				if old == nil {
					d.Content["status"] = map[string]any{"lit": false}
				}
				return nil
			},
			Validate: func(_ context.Context, d, _ *apimeta.Document) (status.FieldErrors, error) {
				if content(d, "spec")["watts"].(int64) > 100 {
					return status.FieldErrors{status.InvalidField(status.NewPath("spec", "watts"), nil, "too bright")}, nil
				}
				return nil, nil
			},
		}
	}))
	a := apitest.Do(t, api, "POST", apitest.LanternsPath,
		`{"apiVersion":"home.example.com/v1","kind":"Lantern","metadata":{"name":"red"},"spec":{"watts":7,"serial":9007199254740993}}`)
	require.Equal(t, http.StatusCreated, a.Code, a.Body)
	assert.Contains(t, a.Body, `"serial":9007199254740993`)
	assert.Contains(t, a.Body, `"status":{"lit":false}`)
	assert.Contains(t, a.Body, `"defaulted":"yes"`)
	a = apitest.Do(t, api, "POST", apitest.LanternsPath,
		`{"apiVersion":"home.example.com/v1","kind":"Lantern","metadata":{"name":"sun"},"spec":{"watts":1000}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, a.Code)
	assert.Contains(t, a.Body, "too bright")
	a = apitest.Do(t, api, "GET", apitest.LanternsPath, "", "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
	assert.Contains(t, a.Body, `"cells":["red",7]`)

	c := apitest.ClientOf[apimeta.Document](t, api, lanternsV1).Namespace("default")
	d, err := c.Get(t.Context(), "red")
	require.NoError(t, err)
	content(d, "spec")["color"] = "red"
	d, err = c.Update(t.Context(), d)
	require.NoError(t, err)
	assert.EqualValues(t, 2, d.Generation)
	assert.Contains(t, apitest.Do(t, api, "GET", apitest.LanternsPath+"/red", "").Body, `"serial":9007199254740993`)
}

// Without the subresource, the status is a field like any other: clients set it, and a change of it is a change of the
// generation.
func TestStatusWithoutSubresource(t *testing.T) {
	api := apitest.New(t, rest.Options{},
		apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) { r.Schema.Status = false }))
	a := apitest.Do(t, api, "POST", apitest.LanternsPath,
		`{"apiVersion":"home.example.com/v1","kind":"Lantern","metadata":{"name":"desk"},"spec":{"watts":7},"status":{"lit":true}}`)
	require.Equal(t, http.StatusCreated, a.Code, a.Body)
	assert.Contains(t, a.Body, `"status":{"lit":true}`)
	a = apitest.Do(t, api, "PATCH", apitest.LanternsPath+"/desk", `{"status":{"lit":false}}`, "Content-Type",
		"application/merge-patch+json")
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	assert.Contains(t, a.Body, `"generation":2`)
	assert.Equal(t, http.StatusNotFound, apitest.Do(t, api, "GET", apitest.LanternsPath+"/desk/status", "").Code)
	a = apitest.Do(t, api, "PATCH", apitest.LanternsPath+"/desk", `{"status":{"lit":7}}`, "Content-Type",
		"application/merge-patch+json")
	assert.Equal(t, http.StatusUnprocessableEntity, a.Code)
}

// An update may keep a value that a later schema excludes, of a wrong type too, and may not set it.
func TestUpdatesKeepValuesThatALaterSchemaExcludes(t *testing.T) {
	store := apitest.NewStore(t)
	before, err := rest.New(rest.Options{Store: store},
		apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) { r.Schema.OpenAPI = nil }))
	require.NoError(t, err)
	for _, name := range []string{"desk", "hall"} {
		a := apitest.Do(t, before, "POST", apitest.LanternsPath,
			`{"apiVersion":"home.example.com/v1","kind":"Lantern","metadata":{"name":"`+name+
				`"},"spec":{"watts":"many","color":"blue","serial":1}}`)
		require.Equal(t, http.StatusCreated, a.Code, a.Body)
	}
	require.NoError(t, before.Shutdown(t.Context()))

	api := apitest.New(t, rest.Options{Store: store}, apitest.Lanterns())
	merge := func(patch string) apitest.Answer {
		return apitest.Do(t, api, "PATCH", apitest.LanternsPath+"/desk", patch, "Content-Type",
			"application/merge-patch+json")
	}
	assert.Equal(t, http.StatusOK, merge(`{"spec":{"serial":2}}`).Code)
	assert.Equal(t, http.StatusOK, merge(`{"metadata":{"labels":{"a":"b"}}}`).Code)
	for _, patch := range []string{`{"spec":{"watts":"more"}}`, `{"spec":{"color":"green"}}`} {
		assert.Equal(t, http.StatusUnprocessableEntity, merge(patch).Code, patch)
	}
	assert.Equal(t, http.StatusOK, merge(`{"spec":{"watts":5,"color":null}}`).Code)
	var got apimeta.Document
	require.NoError(t, json.Unmarshal([]byte(apitest.Do(t, api, "GET", apitest.LanternsPath+"/desk", "").Body), &got))
	assert.Equal(t, map[string]any{"watts": int64(5), "color": "white", "serial": int64(2)}, got.Content["spec"])
}

// An embedded resource needs apiVersion and kind, and its metadata is checked and pruned like an object's.
func TestEmbeddedResourcesOfDocuments(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) {
		r.Schema.OpenAPI = []byte(`{"type":"object","properties":{"e":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}`)
	}))
	for i, c := range []struct {
		embedded string
		code     int
		want     []string
	}{
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","nope":1},"spec":{"x":1}}`, http.StatusCreated,
			[]string{`"e":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"x":1}}`}},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{},"annotations":{"a":null},"name":"","creationTimestamp":"2024-01-02T03:04:05+01:00"}}`, http.StatusCreated, []string{`"e":{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a":""},"creationTimestamp":"2024-01-02T02:04:05Z"}}`}},
		{`{"apiVersion":"v1","kind":"Pod","metadata":null}`, http.StatusCreated,
			[]string{`"e":{"apiVersion":"v1","kind":"Pod","metadata":{}}`}},
		{`{"spec":{}}`, http.StatusUnprocessableEntity, []string{"e.apiVersion: Required value", "e.kind: Required value"}},
		{`{"apiVersion":"a/b/c","kind":"A B","metadata":{"name":"X Y","labels":{"a b":"c"}}}`, http.StatusUnprocessableEntity,
			[]string{
				`e.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c`,
				`e.kind: Invalid value: \"A B\": may have mixed case`,
				`e.metadata.labels: Invalid value: \"a b\"`}},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"labels":7}}`, http.StatusBadRequest, []string{
			`Lantern in version \"v1\" cannot be handled as a Lantern: e.metadata: Invalid value: {\"labels\":7}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string`}},
		{`{"apiVersion":7,"kind":"Pod"}`, http.StatusBadRequest,
			[]string{`e.apiVersion: Invalid value: 7: must be a string`}},
	} {
		a := apitest.Do(t, api, "POST", apitest.LanternsPath+"?fieldValidation=Ignore",
			fmt.Sprintf(`{"apiVersion":"home.example.com/v1","kind":"Lantern","metadata":{"name":"l%d"},"e":%s}`, i, c.embedded))
		assert.Equal(t, c.code, a.Code, a.Body)
		for _, want := range c.want {
			assert.Contains(t, a.Body, want)
		}
	}
}
