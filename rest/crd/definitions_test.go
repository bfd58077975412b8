package crd_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// enabled returns an API that serves definitions and their kinds.
func enabled(t *testing.T, options rest.Options, declared ...rest.Definition) *rest.API {
	t.Helper()
	return started(t, options, crd.Options{}, declared...)
}

// started returns an API with definitions that runs until the test ends.
func started(t *testing.T, options rest.Options, of crd.Options, declared ...rest.Definition) *rest.API {
	t.Helper()
	options.Plugins = append(options.Plugins, crd.New(of))
	api, err := rest.New(options, declared...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	return api
}

// send makes a request and decodes the answer.
func send(t *testing.T, api http.Handler, request, body string, into any) int {
	t.Helper()
	method, target, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", map[bool]string{true: "application/merge-patch+json",
		false: "application/yaml"}[method == "PATCH"])
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	if into != nil {
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), into), w.Body.String())
	}
	return w.Code
}

const gears = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.example.org}
spec:
  group: example.org
  names: {plural: gears, kind: Gear, shortNames: [gr]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {teeth: {type: integer, minimum: 3, default: 8}}}, status: {type: object, properties: {turns: {type: integer}}}}}}
`

const gearPath = "/apis/example.org/v1/namespaces/default/gears"

// await waits until a definition satisfies a condition. It reads the state of the store after each change.
func await(t *testing.T, api *rest.API, name string,
	holds func(d *apiextensions.CustomResourceDefinition) bool) *apiextensions.CustomResourceDefinition {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := resttest.Client[apiextensions.CustomResourceDefinition](t, api)
	page, err := client.List(ctx, rest.ListOptions{FieldSelector: "metadata.name=" + name})
	require.NoError(t, err)
	var now *apiextensions.CustomResourceDefinition
	if len(page.Items) > 0 {
		now = page.Items[0]
	}
	if holds(now) {
		return now
	}
	return awaitAfter(t, api, name, page.ResourceVersion, holds)
}

// awaitAfter waits for a change after a resourceVersion that makes a definition satisfy a condition.
func awaitAfter(t *testing.T, api *rest.API, name, resourceVersion string,
	holds func(d *apiextensions.CustomResourceDefinition) bool) *apiextensions.CustomResourceDefinition {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := resttest.Client[apiextensions.CustomResourceDefinition](t, api)
	for event, err := range client.Follow(ctx,
		rest.WatchOptions{FieldSelector: "metadata.name=" + name, ResourceVersion: resourceVersion}) {
		require.NoError(t, err)
		if event.Type == "DELETED" {
			event.Object = nil
		}
		if holds(event.Object) {
			return event.Object
		}
	}
	t.Fatal("the definition never got there")
	return nil
}

// awaitChanges waits until the API serves what the definitions say now. No condition tells this about a changed
// definition, but the API takes up the changes in their order, so it waits for a definition that is younger.
func awaitChanges(t *testing.T, api *rest.API) {
	t.Helper()
	younger := strings.NewReplacer("gears.example.org", "markers.marker.example.org", "group: example.org",
		"group: marker.example.org", "gears", "markers", "gear", "marker", "Gear", "Marker", "gr]", "mk]").Replace(gears)
	require.Equal(t, 201, send(t, api, "POST "+definitions, younger, nil))
	await(t, api, "markers.marker.example.org", established)
	require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/markers.marker.example.org", "", nil))
	await(t, api, "markers.marker.example.org", gone)
}

func established(d *apiextensions.CustomResourceDefinition) bool {
	return d != nil && d.Is(apiextensions.Established)
}

func gone(d *apiextensions.CustomResourceDefinition) bool { return d == nil }

func TestDefinitionIsServed(t *testing.T) {
	api := enabled(t, rest.Options{})
	require.Equal(t, 404, send(t, api, "GET "+gearPath, "", nil))
	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	d := await(t, api, "gears.example.org", established)
	assert.True(t, d.Is(apiextensions.NamesAccepted))
	assert.Equal(t, apiextensions.CustomResourceDefinitionNames{Plural: "gears", Singular: "gear", Kind: "Gear",
		ListKind: "GearList", ShortNames: []string{"gr"}}, d.Status.AcceptedNames)
	for _, c := range d.Status.Conditions {
		assert.Zero(t, c.ObservedGeneration, c.Type)
	}

	var gear map[string]any
	require.Equal(t, 201, send(t, api, "POST "+gearPath,
		`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"a"},"spec":{},"extra":1}`, &gear))
	assert.Equal(t, map[string]any{"teeth": 8.0}, gear["spec"])
	assert.NotContains(t, gear, "extra")
	assert.Equal(t, 422, send(t, api, "POST "+gearPath,
		`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"b"},"spec":{"teeth":2}}`, nil))
	require.Equal(t, 200, send(t, api, "PATCH "+gearPath+"/a/status", `{"status":{"turns":3}}`, &gear))
	assert.Equal(t, map[string]any{"turns": 3.0}, gear["status"])
}

func TestChangedSchemaHoldsForTheNextWrite(t *testing.T) {
	api := enabled(t, rest.Options{})
	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	await(t, api, "gears.example.org", established)
	require.Equal(t, 201, send(t, api, "POST "+gearPath,
		`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"teeth":5}}`, nil))
	wider := strings.Replace(gears, "type: integer, minimum: 3", "type: integer, minimum: 1", 1)
	wider = strings.Replace(wider, "metadata: {name: gears.example.org}",
		"metadata: {name: gears.example.org, resourceVersion: \"RV\"}", 1)
	var now apiextensions.CustomResourceDefinition
	require.Equal(t, 200, send(t, api, "GET "+definitions+"/gears.example.org", "", &now))
	require.Equal(t, 200, send(t, api, "PUT "+definitions+"/gears.example.org",
		strings.Replace(wider, "RV", now.ResourceVersion, 1), nil))
	awaitChanges(t, api)
	require.Equal(t, 201, send(t, api, "POST "+gearPath,
		`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"b"},"spec":{"teeth":2}}`, nil))
	var a map[string]any
	require.Equal(t, 200, send(t, api, "GET "+gearPath+"/a", "", &a))
	assert.Equal(t, map[string]any{"teeth": 5.0}, a["spec"])
}

func TestDeletedDefinitionTakesItsObjectsAlong(t *testing.T) {
	api := enabled(t, rest.Options{})
	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	await(t, api, "gears.example.org", established)
	require.Equal(t, 201, send(t, api, "POST "+gearPath,
		`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"a"}}`, nil))
	require.Equal(t, 201, send(t, api, "POST "+gearPath,
		`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"held","finalizers":["example.com/hold"]}}`, nil))
	require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/gears.example.org", "", nil))
	d := await(t, api, "gears.example.org", func(d *apiextensions.CustomResourceDefinition) bool {
		i := len(d.Status.Conditions) - 1
		return d.Status.Conditions[i].Reason == "InstanceDeletionInProgress"
	})
	var types []apiextensions.ConditionType
	for _, c := range d.Status.Conditions {
		types = append(types, c.Type)
	}
	assert.Equal(t, []apiextensions.ConditionType{apiextensions.NamesAccepted, apiextensions.Established,
		apiextensions.Terminating}, types, "kube-apiserver appends each condition in the order in which it first holds")
	var refused struct{ Message string }
	require.Equal(t, 403, send(t, api, "POST "+gearPath,
		`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"c"}}`, &refused))
	assert.Equal(t, `gears.example.org "c" is forbidden: create not allowed while custom resource definition is terminating`, refused.Message)
	require.Equal(t, 200, send(t, api, "PATCH "+gearPath+"/held", `{"metadata":{"finalizers":null}}`, nil))
	await(t, api, "gears.example.org", gone)

	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	await(t, api, "gears.example.org", established)
	var list struct{ Items []any }
	require.Equal(t, 200, send(t, api, "GET "+gearPath, "", &list))
	assert.Empty(t, list.Items)
}

func TestNamesBelongToWhoCameFirst(t *testing.T) {
	api := enabled(t, rest.Options{})
	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	await(t, api, "gears.example.org", established)
	wheels := strings.NewReplacer("gears", "wheels", "Gear", "Wheel").Replace(gears)
	require.Equal(t, 201, send(t, api, "POST "+definitions, wheels, nil))
	d := await(t, api, "wheels.example.org",
		func(d *apiextensions.CustomResourceDefinition) bool { return len(d.Status.Conditions) > 1 })
	assert.False(t, d.Is(apiextensions.NamesAccepted))
	assert.Equal(t, "ShortNamesConflict", d.Status.Conditions[0].Reason)
	assert.Equal(t, `"gr" is already in use`, d.Status.Conditions[0].Message)
	assert.Equal(t, "NotAccepted", d.Status.Conditions[1].Reason)
	assert.Equal(t, 404, send(t, api, "GET /apis/example.org/v1/wheels", "", nil))

	require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/gears.example.org", "", nil))
	await(t, api, "wheels.example.org", established)
	assert.Equal(t, 200, send(t, api, "GET /apis/example.org/v1/wheels", "", nil))
}

// Resources and kinds do not share names: the kind may be the same word as the singular.
func TestKindMayBeItsOwnSingular(t *testing.T) {
	api := enabled(t, rest.Options{})
	require.Equal(t, 201, send(t, api, "POST "+definitions, strings.ReplaceAll(gears, "Gear", "gear"), nil))
	await(t, api, "gears.example.org", established)
	assert.Equal(t, 200, send(t, api, "GET "+gearPath, "", nil))
}

// A kind that the host has declared stays what it is.
func TestGoKindIsNeverReplaced(t *testing.T) {
	api := enabled(t, rest.Options{}, rest.Resource[Lamp]{Group: "example.org", Version: "v1", Plural: "lamps"})
	lamps := strings.NewReplacer("gears", "lamps", "Gear", "Lamp").Replace(gears)
	require.Equal(t, 201, send(t, api, "POST "+definitions, lamps, nil))
	d := await(t, api, "lamps.example.org",
		func(d *apiextensions.CustomResourceDefinition) bool { return len(d.Status.Conditions) > 1 })
	assert.False(t, d.Is(apiextensions.NamesAccepted))
	assert.False(t, d.Is(apiextensions.Established))
	require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/lamps.example.org", "", nil))
	await(t, api, "lamps.example.org", gone)
	assert.Equal(t, 200, send(t, api, "GET /apis/example.org/v1/lamps", "", nil))
}

// A restarted program serves the kinds of the stored definitions at once, with their objects.
func TestKindsSurviveARestart(t *testing.T) {
	store := memory.New(storage.Options{})
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	t.Run("before", func(t *testing.T) {
		api := enabled(t, rest.Options{Store: store})
		require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
		await(t, api, "gears.example.org", established)
		require.Equal(t, 201, send(t, api, "POST "+gearPath,
			`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"a"}}`, nil))
	})
	t.Run("after", func(t *testing.T) {
		api := enabled(t, rest.Options{Store: store})
		assert.Equal(t, 200, send(t, api, "GET "+gearPath+"/a", "", nil))
	})
}

// documents returns the client of a kind that a definition has brought.
func documents(t testing.TB, api *rest.API, of apimeta.GroupVersionResource) rest.Client[apimeta.Document] {
	t.Helper()
	client, err := rest.ClientForResource[apimeta.Document](api, of)
	require.NoError(t, err)
	return client
}
