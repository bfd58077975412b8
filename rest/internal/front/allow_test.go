package front_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A 405 of a path without a resource names the methods of the path (RFC 9110, 15.5.6). Kubernetes sends no Allow with the
// 405 of a resource, and clients see the same here.
func TestAllow(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{Plugins: []rest.Plugin{ownPath{}}}, apitest.ThingResource(),
		apitest.WidgetResource())
	s.MustCreate(t, "a")
	const watched = "/apis/" + apitest.ThingGroup + "/v1/watch/namespaces/default/things"
	for _, c := range []struct {
		name, method, target string
		allow                []string
	}{
		{"discovery", "POST", "/apis", []string{"GET"}},
		{"the discovery of a version", "DELETE", "/apis/" + apitest.ThingGroup + "/v1", []string{"GET"}},
		{"OpenAPI", "POST", "/openapi/v3", []string{"GET"}},
		{"a path of a plug-in", "GET", "/own", []string{"POST"}},
		{"a collection", "PUT", apitest.Things, nil},
		{"an object", "POST", apitest.Things + "/a", nil},
		{"a status", "DELETE", apitest.Things + "/a/status", nil},
		{"the older path of a watch", "POST", watched, nil},
		{"a namespace that is not served", "GET", "/api/v1/namespaces/default", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.Do(c.method, c.target, "")
			assert.Equal(t, 405, a.Code, a.Body)
			assert.Equal(t, c.allow, a.Header.Values("Allow"))
		})
	}
}

// ownPath is a plug-in with a path of its own, which has one method.
type ownPath struct{}

func (ownPath) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	return rest.PluginParts{Name: "own", Paths: map[string]http.Handler{
		"/own": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", http.MethodPost)
			w.WriteHeader(http.StatusMethodNotAllowed)
			_, _ = io.WriteString(w, "no")
		}),
	}}, nil
}
