package front_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/rest/internal/remote"
)

// serveElsewhere returns a handler that makes its API forward the requests for all resources to another API.
func serveElsewhere(t *testing.T, far http.Handler) http.HandlerFunc {
	root, err := remote.ParseRoot("http://far")
	require.NoError(t, err)
	return func(_ http.ResponseWriter, r *http.Request) {
		q := r.Context().Value(keys.Call{}).(interface{ Serving() *front.Serving })
		for _, res := range q.Serving().Kinds {
			res.Service = &remote.Service{Root: root, HTTP: &http.Client{Transport: rest.RoundTripper(far)}, Resource: res.Resource}
		}
	}
}

// An API whose requests a service elsewhere carries out is a proxy of the other API.
func TestServiceElsewhereMakesAProxy(t *testing.T) {
	options := rest.Options{Queries: &rest.Queries{}}
	far := apitest.New(t, options, apitest.WidgetResource())
	elsewhere := map[string]http.Handler{"/serve-elsewhere": serveElsewhere(t, far)}
	options.Plugins = []rest.Plugin{rest.PluginParts{Name: "proxy", Paths: elsewhere}}
	near := apitest.New(t, options, apitest.WidgetResource())
	apitest.Must(t, near, "POST", "/serve-elsewhere", "")

	made := apitest.Do(t, near, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
	require.Equal(t, 201, made.Code, made.Body)
	apitest.Must(t, near, "PATCH", apitest.Widgets+"/a", `{"spec":{"size":7}}`, "Content-Type", apitest.TypeMergePatch)
	apitest.Must(t, near, "PATCH", apitest.Widgets+"/b?fieldManager=m", apitest.WidgetBody(`"name":"b"`), "Content-Type",
		apitest.TypeApply)
	for _, path := range []string{"/a", "", "?limit=1", "?labelSelector=no", "?fieldQuery=metadata.name=b", "?facets=metadata.name"} {
		path = apitest.Widgets + path
		assert.JSONEq(t, apitest.Must(t, far, "GET", path, "").Body, apitest.Must(t, near, "GET", path, "").Body)
	}
	refused := apitest.Do(t, near, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
	assert.Equal(t, 409, refused.Code, refused.Body)
	apitest.Must(t, near, "DELETE", apitest.Widgets+"/a", "")
	assert.Equal(t, []string{"b"}, apitest.Must(t, far, "GET", apitest.Widgets, "").Names(t))
}
