package rest

import (
	"time"

	"github.com/decorum-go/decorum/rest/observe"
)

// Health configures health checks and draining, for load balancers and the operator's tools.
type Health struct {
	// Open serves /healthz, /livez, /readyz and /version to everyone, without asking the Authenticator and the
	// Authorizer. It does not open the paths of single checks, such as /readyz/store, because they report the reason for
	// a failure.
	Open bool
	// Checks are the host's own checks at /readyz, /livez and /healthz, such as whether its database answers. The checks
	// of plug-ins follow them.
	Checks []observe.HealthCheck
	// DrainTime is how long the API continues to serve after a shutdown has begun (see [API.Drain]). Meanwhile /readyz
	// fails, so load balancers and proxies send requests to other replicas before this one refuses them. Choose more time
	// than they need to notice, such as 10 seconds for a probe every 3 seconds that must fail twice. Default: none.
	DrainTime time.Duration
}

// Browsers determines which web pages may use an API, and under which names.
type Browsers struct {
	// AllowedOrigins are the origins of web pages that may use the API with the credentials that a browser sends on its
	// own, such as cookies and client certificates, and that may read its answers (CORS). An origin is a scheme and a
	// host, such as https://console.example.com. Default: only pages of the API's own origin. Other pages get 403 for
	// requests that change something, unless the requests have a bearer token.
	AllowedOrigins []string
	// AllowedHosts are the names under which clients reach the API, such as "localhost" or "api.example.com", without a
	// port. A request with another name in its Host header gets 421 Misdirected Request, even for a health check. A
	// request that names an IP address is always allowed. Set AllowedHosts if an API without users listens on the loopback
	// address or inside a private network. Otherwise a web page can reach that API by pointing its own host name at the
	// API's address (DNS rebinding). Default: every name is allowed.
	AllowedHosts []string
}
