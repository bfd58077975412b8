package apiextensions_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/status"
)

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

func newAPI(t *testing.T, checks apiextensions.Checks) *rest.API {
	t.Helper()
	api, err := rest.New(rest.Options{}, apiextensions.CustomResourceDefinitions(checks))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	return api
}

// send makes a request and decodes the answer into the given value.
func send(t *testing.T, api http.Handler, request, body string, into any) *httptest.ResponseRecorder {
	t.Helper()
	method, target, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/yaml")
	if method == "PATCH" {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	if into != nil {
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), into), w.Body.String())
	}
	return w
}

const things = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  names: {plural: things, kind: Thing}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, maximum: 5, default: 3}}}}}}
status: {storedVersions: [v0]}
`

func TestDefinitionIsCompletedOnCreate(t *testing.T) {
	api := newAPI(t, apiextensions.Checks{})
	var d apiextensions.CustomResourceDefinition
	require.Equal(t, 201, send(t, api, "POST "+definitions, things, &d).Code)
	assert.Equal(t, apiextensions.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing",
		ListKind: "ThingList"}, d.Spec.Names)
	assert.Equal(t, apiextensions.NoneConverter, d.Spec.Conversion.Strategy)
	assert.Equal(t, apiextensions.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}}, d.Status,
		"the client's status does not count")
	assert.EqualValues(t, 1, d.Generation)
	size := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["size"]
	assert.Equal(t, "3", string(size.Default.Raw))
	assert.Equal(t, 5.0, *size.Maximum)
}

// An empty name counts as one that is missing, as in kube-apiserver.
func TestEmptyNamesOfDefinitionsAreCompleted(t *testing.T) {
	api := newAPI(t, apiextensions.Checks{})
	var d apiextensions.CustomResourceDefinition
	empty := strings.Replace(things, "kind: Thing}", `kind: Thing, singular: "", listKind: ""}`, 1)
	answer := send(t, api, "POST "+definitions, empty, &d)
	require.Equal(t, 201, answer.Code, answer.Body.String())
	assert.Equal(t, apiextensions.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing",
		ListKind: "ThingList"}, d.Spec.Names)
}

func TestStoredVersionsFollowTheStorageVersion(t *testing.T) {
	api := newAPI(t, apiextensions.Checks{})
	require.Equal(t, 201, send(t, api, "POST "+definitions, things, nil).Code)
	version := func(name, storage string) string {
		return `{"name":"` + name + `","served":true,"storage":` + storage +
			`,"schema":{"openAPIV3Schema":{"type":"object"}}}`
	}
	var d apiextensions.CustomResourceDefinition
	two := `{"spec":{"versions":[` + version("v1", "false") + "," + version("v2", "true") + `]}}`
	require.Equal(t, 200, send(t, api, "PATCH "+definitions+"/things.example.org", two, &d).Code)
	assert.Equal(t, []string{"v1", "v2"}, d.Status.StoredVersions)
	assert.EqualValues(t, 2, d.Generation)

	var refused status.Status
	one := `{"spec":{"versions":[` + version("v2", "true") + `]}}`
	require.Equal(t, 422, send(t, api, "PATCH "+definitions+"/things.example.org", one, &refused).Code)
	assert.Equal(t, "status.storedVersions[0]", refused.Details.Causes[0].Field)

	migrated := `{"status":{"storedVersions":["v2"]}}`
	require.Equal(t, 200, send(t, api, "PATCH "+definitions+"/things.example.org/status", migrated, &d).Code)
	require.Equal(t, 200, send(t, api, "PATCH "+definitions+"/things.example.org", one, &d).Code)
	assert.Equal(t, []string{"v2"}, d.Status.StoredVersions)
}

func TestHostWithoutRulesSaysSo(t *testing.T) {
	ruled := strings.Replace(things, "{type: integer,", `{x-kubernetes-validations: [{rule: "self < 4"}], type: integer,`,
		1)
	var refused status.Status
	require.Equal(t, 422, send(t, newAPI(t, apiextensions.Checks{}), "POST "+definitions, ruled, &refused).Code)
	assert.Equal(t, []status.Cause{{
		Type:    status.CauseForbidden,
		Field:   "spec.validation.openAPIV3Schema.properties[spec].properties[size].x-kubernetes-validations",
		Message: "Forbidden: this server does not evaluate validation rules"}}, refused.Details.Causes)
	assert.Equal(t, 201, send(t, newAPI(t, apiextensions.Checks{IgnoreRules: true}), "POST "+definitions, ruled, nil).Code)
}

func TestHostWithoutWebhooksSaysSo(t *testing.T) {
	converted := strings.Replace(things, "  scope:",
		`  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://x.example"}}}
  scope:`, 1)
	var refused status.Status
	require.Equal(t, 422, send(t, newAPI(t, apiextensions.Checks{}), "POST "+definitions, converted, &refused).Code)
	assert.Equal(t, "spec.conversion.strategy", refused.Details.Causes[0].Field)
	assert.Equal(t, 201, send(t, newAPI(t, apiextensions.Checks{Webhooks: true}), "POST "+definitions, converted,
		nil).Code)
}

func TestUnknownFormatIsWarnedOfOnce(t *testing.T) {
	api := newAPI(t, apiextensions.Checks{})
	w := send(t, api, "POST "+definitions, strings.Replace(things, "type: integer,", "type: integer, format: colour,", 1),
		nil)
	require.Equal(t, 201, w.Code)
	assert.Equal(t, []string{`299 - "unrecognized format \"colour\""`}, w.Header().Values("Warning"))
	w = send(t, api, "PATCH "+definitions+"/things.example.org", `{"spec":{"names":{"shortNames":["th"]}}}`, nil)
	require.Equal(t, 200, w.Code)
	assert.Empty(t, w.Header().Values("Warning"))
}

func TestSetOfObjectsIsWarnedOfOnce(t *testing.T) {
	api := newAPI(t, apiextensions.Checks{})
	const lists = `{a: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}}, ` +
		`b: {type: array, x-kubernetes-list-type: set, items: {type: array, items: {type: string}}}, ` +
		`c: {type: array, x-kubernetes-list-type: set, items: {type: string}}, size: {type: integer}}`
	w := send(t, api, "POST "+definitions,
		strings.Replace(things, "{size: {type: integer, maximum: 5, default: 3}}", lists, 1), nil)
	require.Equal(t, 201, w.Code, w.Body)
	assert.Equal(t, []string{
		`299 - "x-kubernetes-list-type: set for items of type \"array\" is not supported by server-side apply or CEL validation rules"`,
		`299 - "x-kubernetes-list-type: set for items of type \"object\" is not supported by server-side apply or CEL validation rules"`,
	}, w.Header().Values("Warning"))
	w = send(t, api, "PATCH "+definitions+"/things.example.org", `{"spec":{"names":{"shortNames":["th"]}}}`, nil)
	require.Equal(t, 200, w.Code)
	assert.Empty(t, w.Header().Values("Warning"))
}

func TestUnknownFieldsOfSchemasAreFound(t *testing.T) {
	var refused status.Status
	odd := strings.Replace(things, "type: integer,", "type: integer, colour: red,", 1)
	require.Equal(t, 400, send(t, newAPI(t, apiextensions.Checks{}), "POST "+definitions+"?fieldValidation=Strict", odd,
		&refused).Code)
	assert.Contains(t, refused.Message,
		`unknown field "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.colour"`)
}

// Parts of a schema that are either one thing or another come out as they went in.
func TestSchemasKeepTheirForm(t *testing.T) {
	for _, text := range []string{
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`,
		`{"type":"object","properties":{"a":{"type":"object","additionalProperties":true},"b":{"type":"object","additionalProperties":{"type":"string"}}}}`,
		`{"type":"object","properties":{"a":{"type":"object","additionalProperties":false}}}`,
		`{"type":"object","items":[{"type":"string"}],"enum":[1,"a",null,{"b":[]}],"default":{"x":1.50},"dependencies":{"a":["b"]}}`,
	} {
		var s apiextensions.JSONSchemaProps
		require.NoError(t, json.Unmarshal([]byte(text), &s))
		again, err := json.Marshal(s)
		require.NoError(t, err)
		assert.JSONEq(t, text, string(again))
	}
	var s apiextensions.JSONSchemaProps
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"additionalProperties":5}`), &s), "boolean or JSON schema expected")
}

// A deleted definition stays until whoever removes the objects of its kind removes the finalizer.
func TestDeletedDefinitionStaysUntilItsFinalizerIsGone(t *testing.T) {
	api := newAPI(t, apiextensions.Checks{})
	require.Equal(t, 201, send(t, api, "POST "+definitions, things, nil).Code)
	for range 2 { // a repeated deletion changes nothing
		var d apiextensions.CustomResourceDefinition
		require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/things.example.org", "", &d).Code)
		assert.NotNil(t, d.DeletionTimestamp)
		assert.Equal(t, []string{apiextensions.CleanupFinalizer}, d.Finalizers)
		assert.EqualValues(t, 1, d.Generation)
		require.Len(t, d.Status.Conditions, 1)
		assert.Equal(t, "InstanceDeletionPending", d.Status.Conditions[0].Reason)
		assert.Zero(t, d.Status.Conditions[0].ObservedGeneration)
		assert.True(t, d.Is(apiextensions.Terminating))
	}
	require.Equal(t, 200, send(t, api, "PATCH "+definitions+"/things.example.org", `{"metadata":{"finalizers":null}}`,
		nil).Code)
	assert.Equal(t, 404, send(t, api, "GET "+definitions+"/things.example.org", "", nil).Code)
}

// The creator of a definition owns no part of its status.
func TestStatusBelongsToNobody(t *testing.T) {
	api := newAPI(t, apiextensions.Checks{})
	var d apiextensions.CustomResourceDefinition
	require.Equal(t, 201, send(t, api, "POST "+definitions+"?fieldManager=one", things, &d).Code)
	require.Len(t, d.ManagedFields, 1)
	assert.NotContains(t, string(d.ManagedFields[0].FieldsV1.Raw), "f:status")
}

// A definition that waits for others gives up when its client does.
func TestDefinitionsWaitForOthers(t *testing.T) {
	left := 0
	api := newAPI(t, apiextensions.Checks{Enter: func(ctx context.Context) (func(), error) {
		return func() { left++ }, context.Cause(ctx)
	}})
	gone, leave := context.WithCancelCause(t.Context())
	leave(errors.New("the client has left"))
	r := httptest.NewRequest("POST", definitions, strings.NewReader(things)).WithContext(gone)
	r.Header.Set("Content-Type", "application/yaml")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	assert.Contains(t, w.Body.String(), "the client has left")
	assert.Zero(t, left)
	assert.Equal(t, 201, send(t, api, "POST "+definitions, things, nil).Code)
	assert.Equal(t, 1, left)
}

// A default that its own schema refuses would make every object invalid.
func TestDefaultsMustFitTheirSchema(t *testing.T) {
	var refused status.Status
	wrong := strings.Replace(things, "default: 3", "default: 7", 1)
	require.Equal(t, 422, send(t, newAPI(t, apiextensions.Checks{}), "POST "+definitions, wrong, &refused).Code)
	require.Len(t, refused.Details.Causes, 1)
	assert.Equal(t, "spec.validation.openAPIV3Schema.properties[spec].properties[size].default",
		refused.Details.Causes[0].Field)
}
