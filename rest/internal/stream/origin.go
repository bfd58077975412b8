package stream

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/decorum-go/decorum/status"
)

// checkOrigin prevents a page of another site from using what a browser sends on its own: cookies, passwords, client
// certificates, or its place in the network. A browser names the page's origin; other clients name none. A request with
// a bearer token may come from anywhere, because no page obtains a token by accident.
func checkOrigin(r *http.Request) error {
	origin := r.Header.Get("Origin")
	if origin == "" || hasBearer(r.Header) {
		return nil
	}
	if u, err := url.Parse(origin); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return nil
	}
	return status.Generic(http.StatusForbidden, fmt.Sprintf("a WebSocket from the origin %q needs a bearer token", origin))
}

func hasBearer(h http.Header) bool {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "bearer") && strings.TrimSpace(token) != ""
}
