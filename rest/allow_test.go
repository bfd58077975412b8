package rest_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A 405 names the methods of its path (RFC 9110, 15.5.6).
func TestAllow(t *testing.T) {
	custom, readOnly, builtin := apitest.ThingResource(), apitest.WidgetResource(), apitest.GlobalThingResource()
	custom.Subresources = []rest.SubresourceOf[apitest.Thing]{
		rest.Stream[apitest.Thing, apitest.LogOptions]{Name: "log", Output: apitest.NoOutput},
		rest.Stream[apitest.Thing, apitest.LogOptions]{Name: "shell",
			Session: func(context.Context, *apitest.Thing, *apitest.LogOptions, *rest.Session) error { return nil }},
	}
	readOnly.Verbs, readOnly.Scale = []rest.Verb{rest.VerbGet, rest.VerbList}, nil
	builtin.Wire.Dialect = rest.DialectBuiltin
	s := apitest.NewThingServer(t, rest.Options{Plugins: []rest.Plugin{ownPath{}}}, custom, readOnly, builtin)
	s.MustCreate(t, "a")
	globals := "/apis/" + apitest.ThingGroup + "/v1/" + builtin.Plural
	const watched = "/apis/" + apitest.ThingGroup + "/v1/watch/namespaces/default/things"
	for _, c := range []struct{ name, method, target, allow string }{
		{"a collection", "PUT", apitest.Things, "GET, HEAD, POST, DELETE"},
		{"a method that is no verb", "BREW", apitest.Things, "GET, HEAD, POST, DELETE"},
		{"a collection in all namespaces", "POST", "/apis/" + apitest.ThingGroup + "/v1/things", "GET, HEAD"},
		{"an object", "POST", apitest.Things + "/a", "GET, HEAD, PUT, PATCH, DELETE"},
		{"a status", "DELETE", apitest.Things + "/a/status", "GET, HEAD, PUT, PATCH"},
		{"an output", "POST", apitest.Things + "/a/log", "GET"},
		{"a session", "PUT", apitest.Things + "/a/shell", "GET, POST"},
		{"the older path of a watch", "POST", watched, "GET"},
		{"a collection without writes", "POST", apitest.Widgets, "GET, HEAD"},
		{"an object without writes", "DELETE", apitest.Widgets + "/a", "GET, HEAD"},
		{"the older path of a watch that is not served", "GET", "/apis/example.com/v1/watch/namespaces/default/widgets",
			""},
		{"a built-in collection", "PUT", globals, "GET, POST, DELETE"},
		{"HEAD of a built-in object", "HEAD", globals + "/a", "GET, PUT, PATCH, DELETE"},
		{"discovery", "POST", "/apis", "GET"},
		{"the discovery of a version", "DELETE", "/apis/" + apitest.ThingGroup + "/v1", "GET"},
		{"OpenAPI", "POST", "/openapi/v3", "GET"},
		{"a namespace that is not served", "GET", "/api/v1/namespaces/default", ""},
		{"a path of a plug-in", "GET", "/own", "POST"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.Do(c.method, c.target, "")
			assert.Equal(t, 405, a.Code, a.Body)
			assert.Equal(t, []string{c.allow}, a.Header.Values("Allow"))
		})
	}
	assert.Empty(t, s.Do("GET", apitest.Things, "").Header.Values("Allow"))
	assert.Empty(t, s.Do("GET", apitest.Things+"/none", "").Header.Values("Allow"))
}

// ownPath is a plug-in with a path of its own, which has one method.
type ownPath struct{}

func (ownPath) Plug(api *rest.API) (rest.Parts, error) {
	return rest.Parts{Name: "own", Paths: map[string]http.Handler{
		"/own": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", http.MethodPost)
			w.WriteHeader(http.StatusMethodNotAllowed)
			_, _ = io.WriteString(w, "no")
		}),
	}}, nil
}
