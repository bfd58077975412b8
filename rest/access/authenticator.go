package access

import (
	"net/http"
	"time"
)

// Authenticator finds out who sends a request. It must be safe for concurrent use. Package rest/auth has authenticators
// for bearer tokens, client certificates and proxies. [Authenticators] combine several.
type Authenticator interface {
	// Authenticate returns the sender of a request, or nil if the request carries no credentials that the Authenticator
	// reads. It returns an error for invalid credentials: clients receive an error of package status unchanged, and a 401
	// for any other error.
	//
	// Authenticate must not read the body. A bearer token in the subprotocols of a WebSocket is in the header
	// Authorization.
	Authenticate(r *http.Request) (*Identity, error)
}

// AuthenticatorFunc is a function that is an [Authenticator].
type AuthenticatorFunc func(r *http.Request) (*Identity, error)

// Authenticate implements [Authenticator].
func (f AuthenticatorFunc) Authenticate(r *http.Request) (*Identity, error) { return f(r) }

// Identity is what an [Authenticator] knows about the sender of a request.
type Identity struct {
	// User is the sender. The API adds the group system:authenticated, unless the user is system:anonymous.
	User User
	// Headers are headers with credentials, besides Authorization. A Stream with Serve does not receive them.
	Headers []string
	// Expires is when the credentials expire. Watches and streams that are still open end then, watches with 410 Expired.
	// Requests with credentials that have expired are refused with 401. Default: the credentials do not expire.
	Expires time.Time
	// OnRevoked registers end, to be called when the credentials become invalid before they expire, as when an account is
	// deleted. Each watch and stream registers, and ends as if the credentials had expired. Any goroutine may call end,
	// also before OnRevoked returns. stop undoes the registration. Default: the credentials remain valid until they
	// expire.
	OnRevoked func(end func()) (stop func())
}
