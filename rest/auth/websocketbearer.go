package auth

import (
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/stream"
)

// WebSocketBearer lets pages in a browser present a bearer token. A page cannot set the Authorization header of a
// WebSocket, so clients of Kubernetes put the token into the list of subprotocols, as
// base64url.bearer.authorization.k8s.io. followed by the token in unpadded base64url. WebSocketBearer moves it into the
// Authorization header. An [access.Authenticator] needs no WebSocketBearer. Otherwise put it around the middleware that
// authenticates:
//
//	mux.Handle("/", auth.WebSocketBearer(authenticate(api)))
//
// As in Kubernetes, the client must offer one more subprotocol, which the server then chooses. A token that stands
// alone, appears twice or does not decode is removed, so the request arrives without a token. A request that already
// has an Authorization header keeps it.
func WebSocketBearer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, stream.MoveBearer(r)) })
}
