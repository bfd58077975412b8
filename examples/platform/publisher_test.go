package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/resttest"
)

// A page follows the spec of its site, and disappears with it.
func TestPublisher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := resttest.New(t, site.Resource())
		sites := resttest.Client[site.Site](t, s.API).Namespace("default")
		p := newPublisher(resttest.Client[site.Site](t, s.API), nil)
		go func() { assert.NoError(t, p.run(s.UnderTest(t.Context()))) }()

		_, err := sites.Create(t.Context(),
			&site.Site{ObjectMeta: apimeta.ObjectMeta{Name: "hello"}, Spec: site.SiteSpec{Title: "Hello"}})
		require.NoError(t, err)
		hello := resttest.WaitFor(t, sites, "hello", func(s *site.Site) bool {
			return apimeta.IsConditionTrue(s.Status.Conditions, "Ready")
		})
		assert.Equal(t, "/pages/default/hello", hello.Status.Path)
		assert.Contains(t, page(p, "hello"), "<h1>Hello</h1>")

		s.Inject(resttest.Fault{Verb: access.VerbUpdate, Resource: "sites/status", Code: http.StatusConflict}) // the controller tries again
		hello, err = sites.Modify(t.Context(), "hello", func(s *site.Site) error {
			s.Spec.Title = "Good bye"
			return nil
		})
		require.NoError(t, err)
		resttest.WaitFor(t, sites, "hello",
			func(s *site.Site) bool { return s.Status.ObservedGeneration == hello.Generation })
		assert.Contains(t, page(p, "hello"), "<h1>Good bye</h1>")

		require.NoError(t, sites.Delete(t.Context(), "hello", rest.DeleteOptions{}))
		synctest.Wait() // until the controller has nothing left to do
		assert.Contains(t, page(p, "hello"), "not found")
	})
}

// page returns what the platform shows as the page of a site.
func page(p *publisher, name string) string {
	r, w := httptest.NewRequest("GET", "/pages/default/"+name, nil), httptest.NewRecorder()
	r.SetPathValue("namespace", "default")
	r.SetPathValue("name", name)
	p.ServeHTTP(w, r)
	return w.Body.String()
}
