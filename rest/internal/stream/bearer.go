package stream

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"
)

// bearerProtocol begins a subprotocol that holds a bearer token: a page in a browser cannot set the headers of a
// WebSocket.
const bearerProtocol = "base64url.bearer.authorization.k8s.io."

// MoveBearer returns the request with the bearer token of its subprotocols, if it has one, in the Authorization header.
// An Authorization header that the request already has stays. A token that is invalid, not the only one, or not
// accompanied by another subprotocol is removed. A request that has no token, or does not ask for a WebSocket, is
// returned as it is.
func MoveBearer(r *http.Request) *http.Request {
	if !WantsSocket(r) {
		return r
	}
	others, tokens := splitBearer(headerTokens(r.Header, protocolHeader))
	if len(tokens) == 0 {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Del(protocolHeader)
	if len(others) > 0 {
		r.Header.Set(protocolHeader, strings.Join(others, ", "))
	}
	if token, ok := decodeBearer(tokens[0]); ok && len(tokens) == 1 && len(others) > 0 &&
		r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

// splitBearer separates bearer tokens from the subprotocols that can be chosen.
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
