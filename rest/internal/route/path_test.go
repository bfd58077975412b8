package route_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/route"
)

// FuzzPath compares the path of a URL whose escaped form is not known with that of the same URL with its escaped form.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"", "/", "/apis/a.b/v1/things/n~1_x", "/a b/", "/a:b", "/a/%2Fb", "/ä", "*",
		"/a/./../b//", "/a;b,c=d@e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		known := &url.URL{Path: path}
		known.RawPath = known.EscapedPath()
		got, ok := route.Path(&url.URL{Path: path})
		want, wantOK := route.Path(known)
		assert.Equal(t, want, got)
		assert.Equal(t, wantOK, ok)
	})
}
