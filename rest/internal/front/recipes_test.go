package front_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/cbor"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
)

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"

// A client sends and receives objects, lists, watches and errors in every media type that the API serves.
func TestEveryMediaTypeTravels(t *testing.T) {
	api := apitest.New(t, rest.Options{CBOR: cbor.Format()}, builtin.Leases())
	server := apitest.Serve(t, api)
	apitest.Must(t, api, "POST", leases, `{"metadata":{"name":"a"}}`)
	types := media.NewTypes(cbor.Format(), true)
	for _, is := range types.Served {
		t.Run(is, func(t *testing.T) {
			got := apitest.Must(t, api, "GET", leases+"/a", "", "Accept", is)
			assert.Equal(t, is, got.Header.Get("Content-Type"))
			put := apitest.Must(t, api, "PUT", leases+"/a", got.Raw, "Content-Type", is, "Accept", is)
			assert.Equal(t, got.Raw, put.Raw, "the API reads its own answer as the object that it stores")
			list := apitest.Must(t, api, "GET", leases, "", "Accept", is)
			assert.Equal(t, is, list.Header.Get("Content-Type"))
			missing := apitest.Do(t, api, "GET", leases+"/b", "", "Accept", is)
			assert.Equal(t, 404, missing.Code)
			assert.Equal(t, is, missing.Header.Get("Content-Type"))

			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			watch := apitest.Open(ctx, t, server.Client(), "GET", server.URL+leases+"?watch=1", "Accept", is)
			sent := watch.Header.Get("Content-Type")
			if watch.StatusCode == 406 {
				assert.NotContains(t, strings.Join(types.Streamed, " "), is)
				return
			}
			assert.Equal(t, 200, watch.StatusCode)
			assert.True(t, sent == is || strings.Contains(strings.Join(types.Streamed, " "), sent), sent)
		})
	}
}

// A resource serves the verbs that it has, and no others.
func TestEveryVerbIsServed(t *testing.T) {
	for _, has := range kind.Verbs {
		widgets := apitest.WidgetResource()
		widgets.Verbs = []access.Verb{access.Verb(has.Name)}
		api := apitest.New(t, rest.Options{}, widgets)
		assert.Contains(t, apitest.Must(t, api, "GET", "/apis/example.com/v1", "").Body, `"verbs":["`+has.Name+`"]`)
		for _, asked := range kind.Verbs {
			path := apitest.Widgets
			if !asked.OfMany {
				path += "/a"
			}
			if asked.Flag != "" {
				path += "?" + asked.Flag + "=1"
			}
			if asked == has && has.Name == kind.Watch {
				path += "&timeoutSeconds=no" // the API refuses the watch before it begins, but not its method
			}
			code := apitest.Do(t, api, asked.Method, path, "").Code
			assert.Equal(t, asked != has, code == 405, "%s of a resource with the verb %s: %d", asked.Name, has.Name, code)
		}
	}
}

// A resource serves each subresource of the library with the verbs that discovery lists, and with no others.
func TestEverySubresourceOfTheLibraryIsServed(t *testing.T) {
	widgets := apitest.WidgetResource()
	widgets.History = &rest.History{}
	api := apitest.New(t, rest.Options{}, widgets)
	apitest.CreateWidget(t, api, "a", `"spec":{"size":1}`)
	var discovered apimeta.APIResourceList
	apitest.Must(t, api, "GET", apitest.ExampleV1, "").Decode(t, &discovered)
	methods := map[string]string{kind.Get: "GET", kind.Create: "POST", kind.Update: "PUT", kind.Patch: "PATCH",
		kind.Delete: "DELETE"}
	var names []string
	for _, found := range discovered.Resources {
		_, name, below := strings.Cut(found.Name, "/")
		if !below {
			continue
		}
		names = append(names, name)
		for verb, method := range methods {
			code := apitest.Do(t, api, method, apitest.Widgets+"/a/"+name, "").Code
			assert.NotEqual(t, 404, code, "%s of %s", verb, found.Name)
			assert.Equal(t, !slices.Contains(found.Verbs, verb), code == 405, "%s of %s: %d", verb, found.Name, code)
		}
	}
	assert.ElementsMatch(t, []string{"status", "scale", "history", "undo"}, names)
}

// A kind of each dialect takes the types of patch that OpenAPI lists for it, and refuses the others.
func TestEveryTypeOfPatchIsServed(t *testing.T) {
	types := map[string]string{
		kind.JSONPatch: `[]`, kind.MergePatch: `{}`, kind.StrategicPatch: `{}`,
		kind.ApplyPatch: `{"apiVersion":"%s","kind":"%s","metadata":{"name":"a"}}`,
	}
	for _, c := range []struct {
		api                                *rest.API
		collection, version, kind, openAPI string
	}{
		{apitest.NewWidgets(t), apitest.Widgets, "example.com/v1", "Widget", "/openapi/v3" + apitest.ExampleV1},
		{apitest.NewMemos(t), apitest.Memos, "v1", "Memo", "/openapi/v3/api/v1"},
	} {
		apitest.Must(t, c.api, "POST", c.collection,
			`{"apiVersion":"`+c.version+`","kind":"`+c.kind+`","metadata":{"name":"a"},"spec":{"size":1}}`)
		var document struct {
			Paths map[string]struct {
				Patch struct {
					RequestBody struct{ Content map[string]any }
				}
			}
		}
		apitest.Must(t, c.api, "GET", c.openAPI, "").Decode(t, &document)
		path := strings.Replace(c.collection, "/default/", "/{namespace}/", 1) + "/{name}"
		listed := document.Paths[path].Patch.RequestBody.Content
		assert.NotEmpty(t, listed, path)
		for is, body := range types {
			body = strings.NewReplacer(`"%s","kind":"%s"`, `"`+c.version+`","kind":"`+c.kind+`"`).Replace(body)
			answer := apitest.Do(t, c.api, "PATCH", c.collection+"/a?fieldManager=m", body, "Content-Type", is)
			if listed[is] == nil {
				assert.Equal(t, 415, answer.Code, "%s of a %s: %s", is, c.kind, answer.Body)
			} else {
				assert.Equal(t, 200, answer.Code, "%s of a %s: %s", is, c.kind, answer.Body)
			}
		}
		for is := range listed {
			assert.True(t, types[is] != "" || is == media.ApplyCBOR, "no body for %s", is)
		}
	}
}
