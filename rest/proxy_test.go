package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// An API whose requests a service elsewhere carries out is a proxy of the other API.
func TestServiceElsewhereMakesAProxy(t *testing.T) {
	options := rest.Options{Queries: &rest.Queries{}}
	far, near := apitest.New(t, options, apitest.WidgetResource()), apitest.New(t, options, apitest.WidgetResource())
	at := rest.Endpoint{URL: "http://far", HTTP: &http.Client{Transport: rest.RoundTripper(far)}}
	require.NoError(t, rest.ServeElsewhere(near, at, apitest.WidgetResource()))

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
