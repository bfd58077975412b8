package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/rest/auth"
)

// A page in a browser can set no Authorization header of a WebSocket. Its token comes in the list of subprotocols, and
// reaches what authenticates as if it had been a header.
func ExampleWebSocketBearer() {
	authenticate := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Header.Get("Authorization"), r.Header.Get("Sec-WebSocket-Protocol"))
	})
	r := httptest.NewRequest("GET", "/api/v1/configmaps?watch=true", nil)
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	r.Header.Set("Sec-WebSocket-Protocol", "base64url.bearer.authorization.k8s.io.c2VjcmV0, k8s")
	auth.WebSocketBearer(authenticate).ServeHTTP(httptest.NewRecorder(), r)
	// Output: Bearer secret k8s
}
