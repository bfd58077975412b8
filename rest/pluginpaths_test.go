package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// says is a handler that answers with a text and with who asks.
func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s to %s", text, access.UserFrom(r.Context()).Name)
	})
}

func TestPathsOfPluginsNeedRights(t *testing.T) {
	var asked []access.Access
	api := apitest.New(t, rest.Options{
		Authenticator: apitest.UserFromHeader,
		Authorizer: access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
			asked = append(asked, a)
			if a.User.Name != "alice" {
				return access.NoOpinion("not for you"), nil
			}
			return access.Allow(""), nil
		}),
		Plugins: []rest.Plugin{
			rest.PluginParts{Name: "one", Paths: map[string]http.Handler{"/debug/": says("all"), "/debug/state": says("state")}},
			rest.PluginParts{Name: "two", Paths: map[string]http.Handler{"/debug/more/": says("more")}},
		},
	})
	for path, want := range map[string]string{
		"/debug/state": "state", "/debug/": "all", "/debug/state/x": "all", "/debug/x/y": "all", "/debug": "all",
		"/debug/more/": "more", "/debug/more/x": "more",
	} {
		answer := apitest.Do(t, api, "GET", path, "", "Test-User", "alice")
		assert.Equal(t, 200, answer.Code, path)
		assert.Equal(t, want+" to alice", answer.Body, path)
	}
	for _, path := range []string{"/debugger", "/other", "/debug%2Fstate"} {
		assert.Equal(t, 404, apitest.Do(t, api, "GET", path, "", "Test-User", "alice").Code, path)
	}
	assert.Equal(t, 401, apitest.Do(t, api, "GET", "/debug/state", "").Code)
	asked = nil
	answer := apitest.Do(t, api, "POST", "/debug/state", "", "Test-User", "bob")
	apitest.WantFailure(t, answer, 403, "Forbidden", `forbidden: User "bob" cannot post path "/debug/state": not for you`,
		"{}")
	require.Len(t, asked, 1)
	assert.Equal(t, "/debug/state", asked[0].Path)
}

func TestPanicInAPathOfAPlugin(t *testing.T) {
	api := plugged(t, rest.PluginParts{Name: "wild", Paths: map[string]http.Handler{
		"/early": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("wild") }),
		"/late": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("a part"))
			panic("wild")
		}),
	}})
	assert.Equal(t, 500, apitest.Do(t, api, "GET", "/early", "").Code)
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { apitest.Do(t, api, "GET", "/late", "") },
		"the answer is broken off")
}

func TestShutdownEndsPathsOfPlugins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := plugged(t, rest.PluginParts{Name: "slow", Paths: map[string]http.Handler{
			"/slow": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		}})
		ended := apitest.InBackground(func() int { return apitest.Do(t, api, "GET", "/slow", "").Code })
		apitest.LetPass(time.Second)
		require.NoError(t, api.Shutdown(t.Context()))
		assert.Equal(t, 200, <-ended)
	})
}

func TestWrongPathsOfPluginsAreRefused(t *testing.T) {
	for path, want := range map[string]string{
		"debug":      "it must begin with a slash, and must not be the root",
		"/":          "it must begin with a slash, and must not be the root",
		"/healthz":   "something else is served there",
		"/apis/x/v1": "something else is served there",
		"/twice":     "something else is served there",
	} {
		t.Run(path, func(t *testing.T) {
			_, err := rest.New(rest.Options{Plugins: []rest.Plugin{
				rest.PluginParts{Name: "first", Paths: map[string]http.Handler{"/twice": says("")}},
				rest.PluginParts{Name: "p", Paths: map[string]http.Handler{path: says("")}},
			}})
			assert.EqualError(t, err, fmt.Sprintf(`rest.New: plug-in "p": path %q: %s`, path, want))
		})
	}
	_, err := rest.New(rest.Options{Plugins: []rest.Plugin{rest.PluginParts{Name: "p",
		Paths: map[string]http.Handler{"/a": nil}}}})
	assert.EqualError(t, err, `rest.New: plug-in "p": path "/a": the handler is nil`)
}

// What the API does for a handler needs the context of the handler's request.
func TestHandlersUseTheContextOfTheirRequest(t *testing.T) {
	var api rest.PluginAPI
	foreign := apitest.NewRequest("POST", "/handled", apitest.TextOf("a body"))
	api.API = plugged(t, rest.PluginParts{Name: "handlers", Paths: map[string]http.Handler{
		"/handled": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := api.ReadBody(r)
			if err == nil {
				err = api.TakeMemory(r.Context(), 1<<20)
			}
			if err != nil {
				api.Error(w, r, err)
				return
			}
			_ = api.TakeMemory(r.Context(), -1<<20)
			api.Answer(w, r, body)
		}),
		"/foreign": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, err := api.ReadBody(foreign)
			assert.True(t, status.IsInternalError(err), err)
			assert.True(t, status.IsInternalError(api.TakeMemory(foreign.Context(), 1)))
			api.Answer(w, foreign, []byte("{}"))
		}),
	}})
	answer := apitest.Do(t, api, "POST", "/handled", `{"a":1}`)
	assert.Equal(t, 200, answer.Code)
	assert.Equal(t, `{"a":1}`, answer.Body)
	assert.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	assert.Equal(t, 500, apitest.Do(t, api, "POST", "/foreign", "").Code)
}
