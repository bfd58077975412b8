package rest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// calls returns the virtual kind thingcalls, whose answer is a Status.
func calls(call func(context.Context, *apitest.Thing) error) rest.Resource[apitest.Thing] {
	return rest.Resource[apitest.Thing]{Group: apitest.ThingGroup, Version: "v1", Plural: "thingcalls",
		Wire: rest.Wire{AnswerStatus: true}, Hooks: rest.Hooks[apitest.Thing]{Call: call}}
}

func TestStatusAnswersVirtualObject(t *testing.T) {
	api := apitest.New(t, rest.Options{}, calls(func(_ context.Context, o *apitest.Thing) error {
		if o.Name == "refused" {
			return errors.New("secret")
		}
		return nil
	}))
	for _, test := range []struct {
		name, accept string
		code         int
		want         string
	}{
		{"called", "application/json", 201, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`},
		{"called", "application/yaml", 201, "status: Success"},
		{"called", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 201, `"status":"Success"`},
		{"refused", "application/json", 500, `"status":"Failure"`},
	} {
		r := httptest.NewRequest(http.MethodPost, apitest.ThingsV1+"/namespaces/default/thingcalls",
			strings.NewReader(apitest.ThingBody(test.name, "{}")))
		r.Header.Set("Accept", test.accept)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		assert.Equal(t, test.code, w.Code, "%s: %s", test.accept, w.Body)
		assert.Contains(t, w.Body.String(), test.want, test.accept)
	}
	things, err := rest.ClientForType[apitest.Thing](api)
	require.NoError(t, err)
	called, err := things.Namespace("default").Create(t.Context(), new(apitest.Thing))
	require.NoError(t, err)
	assert.Equal(t, "default", called.Namespace, "an in-process client receives the object")
}

func TestCallDryRunAnswersDryRuns(t *testing.T) {
	var called []string
	note := func(what string) func(context.Context, *apitest.Thing) error {
		return func(context.Context, *apitest.Thing) error {
			called = append(called, what)
			return nil
		}
	}
	kind := calls(note("called"))
	kind.Hooks.CallDryRun = note("tried")
	things, err := rest.ClientForType[apitest.Thing](apitest.New(t, rest.Options{}, kind))
	require.NoError(t, err)
	for _, client := range []rest.Client[apitest.Thing]{things.DryRun(), things} {
		_, err := client.Namespace("default").Create(t.Context(), new(apitest.Thing))
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"tried", "called"}, called)
}

func TestOnlyVirtualKindsAnswerWithStatus(t *testing.T) {
	kind := calls(nil)
	_, err := rest.New(rest.Options{}, kind)
	assert.ErrorContains(t, err, "Wire.AnswerStatus needs Hooks.Call")
	kind.Wire.AnswerStatus, kind.Hooks.CallDryRun = false, func(context.Context, *apitest.Thing) error { return nil }
	_, err = rest.New(rest.Options{}, kind)
	assert.ErrorContains(t, err, "Hooks.CallDryRun needs Hooks.Call")
}
