package front_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
