package debug_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/debug"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/observe"
)

// newAPI returns an API whose user alice may get the paths of the plug-in.
func newAPI(t *testing.T) *rest.API {
	t.Helper()
	return apitest.New(t, rest.Options{
		Authenticator: apitest.UserFromHeader,
		Authorizer: access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
			if a.User.Name == "alice" && (a.Path == "" || strings.HasPrefix(a.Path, "/debug/")) {
				return access.Allow(""), nil
			}
			return access.NoOpinion("not for you"), nil
		}),
		Plugins: []rest.Plugin{debug.New(debug.Options{})},
	}, apitest.WidgetResource())
}

func get(t *testing.T, api *rest.API, path, user string) apitest.Answer {
	t.Helper()
	return apitest.Do(t, api, "GET", path, "", "Test-User", user)
}

func TestPathsNeedARightOfTheirOwn(t *testing.T) {
	api := newAPI(t)
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile?seconds=0",
		"/debug/pprof/trace?seconds=0", "/debug/watches"} {
		assert.Equal(t, 200, get(t, api, path, "alice").Code, path)
		assert.Equal(t, 403, get(t, api, path, "bob").Code, path)
		assert.Equal(t, 401, get(t, api, path, "").Code, path)
		assert.Equal(t, 405, apitest.Do(t, api, "POST", path, "", "Test-User", "alice").Code, path)
		assert.Equal(t, 404, get(t, apitest.New(t, rest.Options{}), path, "").Code, "off by default: %s", path)
	}
}

func TestWithoutAnAuthorizer(t *testing.T) {
	api := apitest.New(t, rest.Options{Plugins: []rest.Plugin{debug.New(debug.Options{})}})
	apitest.WantFailure(t, apitest.Do(t, api, "GET", "/debug/watches", ""), 403, "Forbidden",
		"forbidden: the API has no Authorizer that could protect /debug/watches", "{}")
	api = apitest.New(t, rest.Options{Plugins: []rest.Plugin{debug.New(debug.Options{WithoutAuthorizer: true})}})
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/debug/watches", "").Code)
}

func TestProfiles(t *testing.T) {
	api := newAPI(t)
	list := get(t, api, "/debug/pprof/", "alice").Body
	for _, name := range []string{"heap", "goroutine", "allocs"} {
		assert.Contains(t, list, name+"\n")
		assert.True(t, strings.HasPrefix(get(t, api, "/debug/pprof/"+name, "alice").Body, "\x1f\x8b"),
			"%s is compressed with gzip", name)
	}
	text := get(t, api, "/debug/pprof/goroutine?debug=1", "alice")
	assert.Contains(t, text.Body, "goroutine profile:")
	assert.Equal(t, "text/plain; charset=utf-8", text.Header.Get("Content-Type"))
	assert.Equal(t, 200, get(t, api, "/debug/pprof/heap?gc=1", "alice").Code)
	assert.True(t, strings.HasPrefix(get(t, api, "/debug/pprof/trace?seconds=0", "alice").Body, "go 1."))
	for path, code := range map[string]int{
		"/debug/pprof/nothing": 404, "/debug/pprof/profile?seconds=-1": 400, "/debug/pprof/profile?seconds=301": 400,
		"/debug/pprof/heap?debug=x": 400,
	} {
		assert.Equal(t, code, get(t, api, path, "alice").Code, path)
	}
}

// A recording ends with the API, and another one at the same time is refused.
func TestOneRecordingAtATime(t *testing.T) {
	api := newAPI(t)
	first := apitest.InBackground(func() int {
		for { // one of the short recordings below may be under way
			if code := get(t, api, "/debug/pprof/trace?seconds=300", "alice").Code; code != 429 {
				return code
			}
		}
	})
	var second apitest.Answer
	apitest.Await(t, "a refusal", func() bool {
		second = get(t, api, "/debug/pprof/trace?seconds=0", "alice")
		return second.Code == 429
	})
	assert.Equal(t, "1", second.Header.Get("Retry-After"))
	require.NoError(t, api.Shutdown(t.Context()))
	assert.Equal(t, 200, apitest.Within(t, "the first recording", first))
}

func TestWatchesByUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(t)
		server := apitest.ServeOnPipes(t, api)
		apitest.Open(t.Context(), t, server.Client, "GET", server.URL+apitest.Widgets+"?watch=1", "Test-User", "alice")
		var answer struct{ Watches []observe.OpenWatch }
		require.NoError(t, json.Unmarshal([]byte(get(t, api, "/debug/watches", "alice").Body), &answer))
		require.Len(t, answer.Watches, 1)
		assert.Equal(t, "alice", answer.Watches[0].User)
		assert.Equal(t, apitest.Widgets, answer.Watches[0].Path)
		assert.Equal(t, "watch=1", answer.Watches[0].Query)
	})
}

// A state of the host is shown beside the others, under the same right.
func TestStates(t *testing.T) {
	limiter, err := fairness.New(fairness.Options{Seats: 7})
	require.NoError(t, err)
	state := func() any { return limiter.State() }
	api := apitest.New(t, rest.Options{Plugins: []rest.Plugin{limiter, debug.New(debug.Options{
		WithoutAuthorizer: true, States: map[string]func() any{"fairness": state},
	})}}, apitest.WidgetResource())
	require.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets, "").Code)
	a := apitest.Do(t, api, "GET", "/debug/fairness", "")
	assert.Equal(t, "application/json", a.Header.Get("Content-Type"))
	var got fairness.State
	require.NoError(t, json.Unmarshal([]byte(a.Body), &got))
	assert.Equal(t, "global-default 7", fmt.Sprint(got.Levels[0].Name, " ", got.Levels[0].NominalSeats))
	assert.EqualValues(t, 2, got.Flows[1].Dispatched, "the list, and the question itself")
	assert.Equal(t, 405, apitest.Do(t, api, "POST", "/debug/fairness", "").Code)

	for _, name := range []string{"", "a/b", "pprof", "watches"} {
		_, err := rest.New(rest.Options{Plugins: []rest.Plugin{debug.New(debug.Options{States: map[string]func() any{
			name: state}})}})
		assert.ErrorContains(t, err, fmt.Sprintf("debug: Options.States: %q is not a name for a path of its own", name))
	}
}

// net/http/pprof would serve profiles at http.DefaultServeMux of the host, to everybody.
func TestDefaultServeMuxStaysEmpty(t *testing.T) {
	r, err := http.NewRequest("GET", "/debug/pprof/", nil)
	require.NoError(t, err)
	_, pattern := http.DefaultServeMux.Handler(r)
	assert.Empty(t, pattern)
	linked, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	assert.NotContains(t, string(linked), "net/http/pprof")
	assert.Contains(t, string(linked), "runtime/pprof")
}
