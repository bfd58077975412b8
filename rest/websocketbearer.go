package rest

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"
)

// bearerProtocol begins a subprotocol that is a bearer token: a page in a browser can set no header of a WebSocket.
const bearerProtocol = "base64url.bearer.authorization.k8s.io."

// WebSocketBearer lets pages in a browser show a bearer token. They cannot set the Authorization header of a WebSocket,
// so clients of Kubernetes put the token into the list of subprotocols, as base64url.bearer.authorization.k8s.io. and the
// token in unpadded base64url. WebSocketBearer moves it into the Authorization header; put it around the middleware that
// authenticates:
//
//	mux.Handle("/", rest.WebSocketBearer(authenticate(api)))
//
// As with Kubernetes, the client must offer one more subprotocol, which is the one that is agreed on; a token that stands
// alone, twice, or does not decode is dropped, so that the request is one without a token. A request that has an
// Authorization header keeps it.
func WebSocketBearer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !wantsSocket(r) {
			next.ServeHTTP(w, r)
			return
		}
		others, tokens := splitBearer(headerTokens(r.Header, protocolHeader))
		if len(tokens) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		r = r.Clone(r.Context())
		r.Header.Del(protocolHeader)
		if len(others) > 0 {
			r.Header.Set(protocolHeader, strings.Join(others, ", "))
		}
		if token, ok := decodeBearer(tokens[0]); ok && len(tokens) == 1 && len(others) > 0 && r.Header.Get("Authorization") == "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		next.ServeHTTP(w, r)
	})
}

// splitBearer takes the bearer tokens out of a list of subprotocols: they are to be agreed on with nobody.
func splitBearer(protocols []string) (others, tokens []string) {
	for _, p := range protocols {
		if token, ok := strings.CutPrefix(p, bearerProtocol); ok {
			tokens = append(tokens, token)
		} else {
			others = append(others, p)
		}
	}
	return others, tokens
}

func decodeBearer(encoded string) (string, bool) {
	token, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(token) == 0 || !utf8.Valid(token) {
		return "", false
	}
	for _, b := range token {
		if b <= ' ' || b == 0x7f { // a token is one word, and a header one line
			return "", false
		}
	}
	return string(token), true
}
