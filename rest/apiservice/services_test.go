package apiservice_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

const path = "/apis/apiregistration.k8s.io/v1/apiservices"

// gears returns a kind without a Go struct, which comes and goes.
func gears() rest.Resource[apimeta.Document] {
	return rest.Resource[apimeta.Document]{Group: "example.org", Version: "v1", Plural: "gears",
		Names: rest.Names{Kind: "Gear"}}
}

// enabled returns an API with APIServices.
func enabled(t *testing.T, options rest.Options, declared ...rest.Definition) *rest.API {
	t.Helper()
	options.Plugins = append(options.Plugins, apiservice.New(apiservice.Options{}))
	api, err := rest.New(options, declared...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	return api
}

// send makes a request and returns the code and the decoded answer.
func send(t *testing.T, api *rest.API, request, accept, body string) (code int, got map[string]any) {
	t.Helper()
	method, target, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", map[bool]string{true: "application/merge-patch+json",
		false: "application/json"}[method == "PATCH"])
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got), w.Body)
	return w.Code, got
}

// names returns the names of the objects.
func names(t *testing.T, api *rest.API) (all []string) {
	t.Helper()
	page, err := resttest.Client[apiservice.APIService](t, api).List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	for _, s := range page.Items {
		all = append(all, s.Name)
	}
	return all
}

// Each version of each group is an object, with the priorities and the columns of Kubernetes. Reviews, which are not
// stored, count too.
func TestServedVersionsAreListed(t *testing.T) {
	api := enabled(t, rest.Options{Plugins: []rest.Plugin{auth.Reviews()}}, builtin.Leases(), gears())
	assert.Equal(t, []string{"v1.", "v1.authentication.k8s.io", "v1.authorization.k8s.io", "v1.coordination.k8s.io",
		"v1.example.org"}, names(t, api))

	code, got := send(t, api, "GET "+path+"/v1.example.org", "application/json", "")
	require.Equal(t, 200, code)
	assert.Equal(t, map[string]any{"group": "example.org", "version": "v1", "groupPriorityMinimum": 1000.0,
		"versionPriority": 100.0}, got["spec"])
	condition := got["status"].(map[string]any)["conditions"].([]any)[0].(map[string]any)
	assert.NotEmpty(t, condition["lastTransitionTime"])
	delete(condition, "lastTransitionTime")
	assert.Equal(t, map[string]any{"type": "Available", "status": "True", "reason": "Local",
		"message": "Local APIServices are always available"}, condition)
	_, got = send(t, api, "GET "+path+"/v1.", "application/json", "")
	assert.Equal(t, map[string]any{"version": "v1", "groupPriorityMinimum": 18000.0, "versionPriority": 1.0}, got["spec"])

	_, table := send(t, api, "GET "+path+"/v1.example.org", "application/json;as=Table;v=v1;g=meta.k8s.io", "")
	var columns []string
	for _, c := range table["columnDefinitions"].([]any) {
		columns = append(columns, fmt.Sprint(c.(map[string]any)["name"]))
	}
	assert.Equal(t, []string{"Name", "Service", "Available", "Age"}, columns)
	assert.Equal(t, []any{"v1.example.org", "Local", "True"},
		table["rows"].([]any)[0].(map[string]any)["cells"].([]any)[:3])
}

// The objects follow what the API serves.
func TestVersionsThatComeAndGo(t *testing.T) {
	api := enabled(t, rest.Options{NoSelfReviews: true})
	require.NoError(t, api.AddResources(t.Context(), gears()))
	assert.Eventually(t, func() bool { return slices.Equal(names(t, api), []string{"v1.", "v1.example.org"}) },
		time.Minute, time.Millisecond)
	require.NoError(t, api.WithdrawResources(t.Context(), apimeta.GroupResource{Group: "example.org", Resource: "gears"}))
	assert.Eventually(t, func() bool { return slices.Equal(names(t, api), []string{"v1."}) }, time.Minute,
		time.Millisecond)
}

// Clients cannot write the objects.
func TestClientsCannotWrite(t *testing.T) {
	api := enabled(t, rest.Options{}, gears())
	const local = `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.other"},"spec":{"group":"other","version":"v1","groupPriorityMinimum":1,"versionPriority":1`
	for _, c := range []struct{ request, body, message string }{
		{"POST " + path, local + `}}`,
			`apiservices.apiregistration.k8s.io "v1.other" is forbidden: only the server writes APIServices, which describe what it serves`},
		{"POST " + path, local + `,"service":{"namespace":"a","name":"b"}}}`,
			`apiservices.apiregistration.k8s.io "v1.other" is forbidden: this server does not aggregate other servers (spec.service)`},
		{"PATCH " + path + "/v1.example.org", `{"spec":{"versionPriority":7}}`, "only the server writes APIServices"},
		{"PATCH " + path + "/v1.example.org/status", `{"status":{"conditions":null}}`, "only the server writes APIServices"},
		{"DELETE " + path + "/v1.example.org", "", "only the server deletes APIServices"},
		{"DELETE " + path, "", "only the server deletes APIServices"},
	} {
		code, got := send(t, api, c.request, "application/json", c.body)
		assert.Equal(t, 403, code, c.request)
		assert.Contains(t, got["message"], c.message, c.request)
	}
	assert.Equal(t, []string{"v1.", "v1.authentication.k8s.io", "v1.authorization.k8s.io", "v1.example.org"},
		names(t, api))
}

// A restart keeps the objects, and drops those of versions that are no longer served.
func TestRestart(t *testing.T) {
	store := memory.New(storage.Options{})
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	var uid string
	t.Run("before", func(t *testing.T) {
		api := enabled(t, rest.Options{Store: store}, gears(), builtin.Leases())
		s, err := resttest.Client[apiservice.APIService](t, api).Get(t.Context(), "v1.coordination.k8s.io")
		require.NoError(t, err)
		uid = s.UID
	})
	api := enabled(t, rest.Options{Store: store}, builtin.Leases())
	assert.Equal(t, []string{"v1.", "v1.authentication.k8s.io", "v1.authorization.k8s.io", "v1.coordination.k8s.io"},
		names(t, api))
	s, err := resttest.Client[apiservice.APIService](t, api).Get(t.Context(), "v1.coordination.k8s.io")
	require.NoError(t, err)
	assert.Equal(t, uid, s.UID)
	assert.Error(t, api.Start(t.Context()), "it runs already")
}
