package console_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/console"
)

// get sends a request to a console that shows the API at api.
func get(t *testing.T, api, method, target string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	console.New(console.Options{API: api}).ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, answer *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

func TestFiles(t *testing.T) {
	tests := []struct{ path, contentType, has string }{
		{"/", "text/html; charset=utf-8", `<div id="app">`},
		{"/console/", "text/html; charset=utf-8", `<div id="app">`},
		{"/a/deep/mount/", "text/html; charset=utf-8", `<div id="app">`},
		{"/console/app.js", "text/javascript; charset=utf-8", "apidiscovery.k8s.io"},
		{"/console/style.css", "text/css; charset=utf-8", "light-dark("},
		{"/console/icon.svg", "image/svg+xml", "<svg"},
		{"/console/LICENSES.txt", "text/plain; charset=utf-8", "The MIT License"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			answer := get(t, "/platform", http.MethodGet, tt.path)
			assert.Equal(t, http.StatusOK, answer.StatusCode)
			assert.Equal(t, tt.contentType, answer.Header.Get("Content-Type"))
			assert.Contains(t, body(t, answer), tt.has)
		})
	}
}

func TestEveryAnswerHasThePolicy(t *testing.T) {
	for _, path := range []string{"/console/", "/console/app.js", "/console/absent"} {
		header := get(t, "/platform", http.MethodGet, path).Header
		assert.Equal(t, "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'", header.Get("Content-Security-Policy"), path)
		assert.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
		assert.Equal(t, "no-referrer", header.Get("Referrer-Policy"), path)
	}
}

// The policy forbids inline scripts and styles, so the page must have none.
func TestPageHasNothingInline(t *testing.T) {
	page := body(t, get(t, "/platform", http.MethodGet, "/"))
	assert.Equal(t, strings.Count(page, "<script"), strings.Count(page, `src="app.js"></script>`))
	assert.NotContains(t, page, "<style")
	assert.NotContains(t, page, "style=")
	assert.NotContains(t, page, "://")
}

func TestAPIPath(t *testing.T) {
	tests := []struct{ api, content string }{
		{"", ""},
		{"/", ""},
		{"/platform", "/platform"},
		{"/platform/", "/platform"},
		{"platform", "/platform"},
		{"//other.example.com", "/other.example.com"},
		{`/\other.example.com`, "/other.example.com"},
		{`/"><script>alert(1)</script>`, `/&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;`},
	}
	for _, tt := range tests {
		t.Run(tt.api, func(t *testing.T) {
			page := body(t, get(t, tt.api, http.MethodGet, "/"))
			assert.Contains(t, page, `<meta name="decorum-api" content="`+tt.content+`">`)
		})
	}
}

func TestRefusals(t *testing.T) {
	assert.Equal(t, http.StatusNotFound, get(t, "", http.MethodGet, "/console/index.html").StatusCode,
		"the page has one address")
	assert.Equal(t, http.StatusNotFound, get(t, "", http.MethodGet, "/console/absent").StatusCode)
	answer := get(t, "", http.MethodPost, "/console/")
	assert.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
	assert.Equal(t, "GET, HEAD", answer.Header.Get("Allow"))
}

func TestHead(t *testing.T) {
	answer := get(t, "", http.MethodHead, "/console/app.js")
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	assert.Empty(t, body(t, answer))
}

func TestUnchangedFileIsNotSentAgain(t *testing.T) {
	for _, coding := range []string{"gzip", "identity"} {
		first := get(t, "", http.MethodGet, "/app.js", "Accept-Encoding", coding)
		again := get(t, "", http.MethodGet, "/app.js", "Accept-Encoding", coding, "If-None-Match", first.Header.Get("ETag"))
		assert.Equal(t, http.StatusNotModified, again.StatusCode, coding)
	}
}

// A browser that visits every view loads less than 350 KB.
func TestCompressedSize(t *testing.T) {
	const most = 350_000
	size := 0
	entries, err := os.ReadDir("static")
	require.NoError(t, err)
	for _, entry := range entries {
		if entry.Name() == "LICENSES.txt" {
			continue
		}
		path := "/" + strings.TrimSuffix(entry.Name(), "index.html")
		answer := get(t, "", http.MethodGet, path, "Accept-Encoding", "br, gzip")
		require.Equal(t, "gzip", answer.Header.Get("Content-Encoding"), path)
		compressed := body(t, answer)
		size += len(compressed)
		unzipped, err := gzip.NewReader(strings.NewReader(compressed))
		require.NoError(t, err)
		plain, err := io.ReadAll(unzipped)
		require.NoError(t, err)
		assert.Equal(t, body(t, get(t, "", http.MethodGet, path)), string(plain), path)
	}
	assert.Less(t, size, most)
	t.Logf("%d bytes", size)
}
