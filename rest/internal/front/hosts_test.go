package front_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// A web page may reach the API under a name that its owner has pointed to the address of the API. The page and the API
// then have one origin, so the browser adds nothing that tells them apart but the name.
func TestAllowedHosts(t *testing.T) {
	api, err := rest.New(rest.Options{AllowedHosts: []string{"localhost", "API.example.com"}})
	require.NoError(t, err)
	defer api.Close()
	tests := []struct {
		host string
		code int
	}{
		{"localhost", http.StatusOK},
		{"localhost:8080", http.StatusOK},
		{"LocalHost.:8080", http.StatusOK},
		{"api.example.com", http.StatusOK},
		{"127.0.0.1:8080", http.StatusOK},
		{"[::1]:8080", http.StatusOK},
		{"[::1]", http.StatusOK},
		{"", http.StatusOK}, // HTTP/1.0, which no browser speaks
		{"evil.example", http.StatusMisdirectedRequest},
		{"evil.example:8080", http.StatusMisdirectedRequest},
		{"localhost.evil.example", http.StatusMisdirectedRequest},
		{"127.0.0.1.evil.example", http.StatusMisdirectedRequest},
		{"localhost:8080:8080", http.StatusMisdirectedRequest},
	}
	for _, tt := range tests {
		for _, path := range []string{"/api", "/healthz", "/absent"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = tt.host
			r.Header.Set("Origin", "http://"+tt.host)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			if path == "/absent" && tt.code == http.StatusOK {
				assert.Equal(t, http.StatusNotFound, w.Code, "%s of %q", path, tt.host)
				continue
			}
			assert.Equal(t, tt.code, w.Code, "%s of %q", path, tt.host)
		}
	}
	for _, host := range []string{"", "https://api.example.com", "localhost:8080"} {
		_, err := rest.New(rest.Options{AllowedHosts: []string{host}})
		assert.ErrorContains(t, err, "must be a name without a scheme and a port")
	}
}
