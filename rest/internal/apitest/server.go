package apitest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Serve serves a handler on a socket until the test, and the watches that it opened later, have ended.
func Serve(t testing.TB, handler http.Handler, configure ...func(*http.Server)) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	for _, c := range configure {
		c(server.Config)
	}
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// Open sends a request by a client and returns the response before its body has arrived. The body ends with ctx or with
// the test.
func Open(ctx context.Context, t testing.TB, client *http.Client, method, url string,
	headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	require.NoError(t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}
