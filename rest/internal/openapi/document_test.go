package openapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestOpenAPIv3Index(t *testing.T) {
	api := apitest.NewManyKinds(t)
	for name, handler := range map[string]http.Handler{"": api, "/some/prefix": http.StripPrefix("/some/prefix", api)} {
		a := apitest.Do(t, handler, "GET", name+"/openapi/v3", "", "Accept",
			"application/com.github.proto-openapi.spec.v3@v1.0+protobuf")
		require.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, "application/json", a.Header.Get("Content-Type"), "the index is always JSON")
		var index struct {
			Paths map[string]struct{ ServerRelativeURL string }
		}
		a.Decode(t, &index)
		for _, path := range []string{"api/v1", "apis/example.com/v1", "apis/aaa.example.com/v1beta1"} {
			u, err := url.Parse(index.Paths[path].ServerRelativeURL)
			require.NoError(t, err)
			assert.Equal(t, name+"/openapi/v3/"+path, u.Path)
			assert.Regexp(t, "^[0-9A-F]{128}$", u.Query().Get("hash"))

			document := apitest.Do(t, handler, "GET", u.String(), "")
			require.Equal(t, 200, document.Code)
			assert.Equal(t, "public, immutable", document.Header.Get("Cache-Control"))
			assert.Equal(t, "Sat, 02 Jan 2027 03:04:05 GMT", document.Header.Get("Expires"))
			assert.NotEmpty(t, document.Header.Get("ETag"))
			assert.Equal(t, "Accept", document.Header.Get("Vary"))

			for _, weak := range []string{"", "W/"} { // a proxy that compresses the document makes its tag weak
				assert.Equal(t, 304, apitest.Do(t, handler, "GET", u.String(), "", "If-None-Match",
					weak+document.Header.Get("ETag")).Code)
			}
			plain := apitest.Do(t, handler, "GET", u.Path, "")
			assert.Equal(t, document.Body, plain.Body)
			assert.Equal(t, "no-cache, private", plain.Header.Get("Cache-Control"))

			moved := apitest.Do(t, handler, "GET", u.Path+"?hash=OLD", "")
			assert.Equal(t, http.StatusMovedPermanently, moved.Code)
			assert.Equal(t, u.String(), moved.Header.Get("Location"), "a redirect keeps the prefix")
		}
	}
	assert.Equal(t, 404, apitest.Do(t, api, "GET", "/openapi/v3/apis/example.com/v9", "").Code)
	assert.Equal(t, 406, apitest.Do(t, api, "GET", "/openapi/v3/apis/example.com/v1", "", "Accept", "text/html").Code)
	assert.Equal(t, 405, apitest.Do(t, api, "POST", "/openapi/v3/apis/example.com/v1", "").Code)
}

func TestOpenAPIDescribesKinds(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(apitest.WithSubresources), apitest.Gizmos())
	for target, version := range map[string]string{"/openapi/v3/apis/example.com/v1": "3.", "/openapi/v2": "2.0"} {
		t.Run(target, func(t *testing.T) {
			d := apitest.ReadOpenAPI(t, apitest.Do(t, api, "GET", target, ""))
			assert.True(t, strings.HasPrefix(d.OpenAPI+d.Swagger, version))
			w := d.Kind(t, "Widget")
			assert.Equal(t, "Widget is what the tests are about.", w.Description)
			assert.Equal(t, []string{"spec"}, w.Required)
			spec := d.Property(t, w, "spec")
			assert.Equal(t, []string{"size"}, spec.Required)
			assert.Equal(t, []string{"red", "green", "blue"}, d.Property(t, spec, "color").Enum)
			if d.Swagger == "" {
				assert.Equal(t, "red", d.Property(t, spec, "color").Default)
			} else {
				assert.Nil(t, d.Property(t, spec, "color").Default)
			}
			assert.Equal(t, float64(1), *d.Property(t, spec, "size").Minimum)
			assert.Equal(t, float64(100), *d.Property(t, spec, "size").Maximum)
			assert.Equal(t, "^[a-z]+$", d.Property(t, spec, "code").Pattern)
			assert.Equal(t, int64(10), *d.Property(t, spec, "owner").MaxLength)
			assert.Equal(t, "map", d.Property(t, spec, "parts").ListType)
			assert.Equal(t, []string{"name"}, d.Property(t, spec, "parts").ListMapKeys)
			assert.Equal(t, "set", d.Property(t, spec, "tags").ListType)
			assert.Equal(t, "atomic", d.Property(t, spec, "limits").MapType)
			assert.True(t, d.Property(t, spec, "port").IntOrString)
			assert.NotEmpty(t, d.Property(t, w, "metadata").Properties["labels"], "explain shows the metadata too")
			assert.NotEmpty(t, d.Kind(t, "WidgetList").Properties["items"])
			assert.NotEmpty(t, d.Kind(t, "Scale").Properties["spec"])
			assert.NotEmpty(t, d.Kind(t, "Paint").Properties["spec"])
			assert.NotEmpty(t, d.Kind(t, "Gizmo").Properties["spec"])
		})
	}
}

func TestOpenAPIDescribesOperations(t *testing.T) {
	d := apitest.ReadOpenAPI(t, apitest.Do(t, apitest.NewManyKinds(t), "GET", "/openapi/v3/apis/example.com/v1", ""))
	const item = "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"
	for path, verbs := range map[string][]string{
		"/apis/example.com/v1/widgets":                        {"get"},
		"/apis/example.com/v1/namespaces/{namespace}/widgets": {"get", "post", "delete"},
		item:                                   {"get", "put", "patch", "delete"},
		item + "/status":                       {"get", "put", "patch"},
		item + "/scale":                        {"get", "put", "patch"},
		"/apis/example.com/v1/sums":            {"post"},
		"/apis/example.com/v1/settings":        {"get"},
		"/apis/example.com/v1/settings/{name}": {"get", "put", "patch"},
	} {
		require.Contains(t, d.Paths, path)
		for _, verb := range []string{"get", "put", "post", "patch", "delete"} {
			_, has := d.Paths[path][verb]
			assert.Equal(t, has, slices.Contains(verbs, verb), "%s %s", verb, path)
		}
	}
	var patch struct {
		Kind       struct{ Group, Version, Kind string } `json:"x-kubernetes-group-version-kind"`
		Parameters []struct{ Name, In string }
		Body       struct{ Content map[string]any } `json:"requestBody"`
	}
	require.NoError(t, json.Unmarshal(d.Paths[item]["patch"], &patch))
	assert.Equal(t, "Widget", patch.Kind.Kind)
	assert.Contains(t, patch.Parameters, struct{ Name, In string }{"fieldValidation", "query"},
		"kubectl lets the server validate where it finds this")
	assert.Contains(t, patch.Body.Content, apitest.TypeMergePatch)
	assert.Contains(t, patch.Body.Content, apitest.TypeJSONPatch)
	assert.NotContains(t, patch.Body.Content, "application/strategic-merge-patch+json")
}

func TestOpenAPIv2IsCached(t *testing.T) {
	api := apitest.NewWidgets(t)
	first := apitest.Do(t, api, "GET", "/openapi/v2", "")
	require.Equal(t, 200, first.Code)
	assert.Equal(t, "application/json", first.Header.Get("Content-Type"))
	assert.Equal(t, "Accept", first.Header.Get("Vary"))
	for _, weak := range []string{"", "W/"} {
		again := apitest.Do(t, api, "GET", "/openapi/v2", "", "If-None-Match", weak+first.Header.Get("ETag"))
		assert.Equal(t, 304, again.Code)
		assert.Empty(t, again.Body)
	}
	assert.Equal(t, 406, apitest.Do(t, api, "GET", "/openapi/v2", "", "Accept", "text/html").Code)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/openapi/v2", "", "Accept", "text/html, */*;q=0.1").Code)
}

// client-go asks for OpenAPI 3.0 in Protobuf under a name with an @ in it.
func TestOpenAPIv3Protobuf(t *testing.T) {
	api := apitest.NewWidgets(t)
	const path, answered = "/openapi/v3/apis/example.com/v1", "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
	for _, accept := range []string{answered, "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
		"application/json;q=0.5, " + answered} {
		a := apitest.Do(t, api, "GET", path, "", "Accept", accept)
		require.Equal(t, 200, a.Code, accept)
		assert.Equal(t, answered, a.Header.Get("Content-Type"))
		assert.Equal(t, "\n\x053.0.0", a.Body[:7], "field 1 is the version of OpenAPI")
		assert.Equal(t, 304, apitest.Do(t, api, "GET", path, "", "Accept", accept, "If-None-Match", "W/"+a.Header.Get("ETag")).Code)
	}
	assert.Equal(t, "application/json", apitest.Do(t, api, "GET", path, "", "Accept", "*/*").Header.Get("Content-Type"))
	refused := apitest.Do(t, api, "GET", path, "", "Accept", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
	assert.Equal(t, 406, refused.Code)
	assert.Contains(t, refused.Body, answered)
}

// kubectl takes the Swagger document as Protobuf only, under a name with an @ in it.
func TestOpenAPIv2Protobuf(t *testing.T) {
	api := apitest.NewWidgets(t)
	const answered = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	for accept, media := range map[string]string{
		"application/com.github.proto-openapi.spec.v2@v1.0+protobuf": answered,
		answered: answered,
		"application/json;q=0.5, application/com.github.proto-openapi.spec.v2@v1.0+protobuf":        answered,
		"application/json, application/com.github.proto-openapi.spec.v2@v1.0+protobuf;q=0.5":        "application/json",
		"application/com.github.proto-openapi.spec.v3@v1.0+protobuf, application/*;q=0.1,text/html": "application/json",
	} {
		a := apitest.Do(t, api, "GET", "/openapi/v2", "", "Accept", accept)
		require.Equal(t, 200, a.Code, accept)
		assert.Equal(t, media, a.Header.Get("Content-Type"), accept)
		assert.Equal(t, "Accept", a.Header.Get("Vary"))
		if media == answered {
			assert.Equal(t, "\n\x032.0", string(a.Body[:5]), "field 1 is the version of Swagger")
		}
	}
	form := []string{"Accept", answered}
	first := apitest.Do(t, api, "GET", "/openapi/v2", "", form...)
	assert.NotEqual(t, apitest.Do(t, api, "GET", "/openapi/v2", "").Header.Get("ETag"), first.Header.Get("ETag"),
		"each form has its own")
	assert.Equal(t, 304, apitest.Do(t, api, "GET", "/openapi/v2", "",
		append(form, "If-None-Match", first.Header.Get("ETag"))...).Code)
}
