package front

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/status"
)

// pagePolicy holds the rules for requests that a browser sends on behalf of a web page. A page of another site must not
// use what the browser sends on its own: cookies, passwords, client certificates, or its place in the network.
type pagePolicy struct {
	origins    []string
	hosts      []string // the lower-case names of the API; none allows every name
	protection *http.CrossOriginProtection
}

// newPagePolicy returns a policy that allows pages of the API's own origin, and of these origins, such as
// "https://console.example.com". If there are hosts, they are the only names under which a request may reach the API.
func newPagePolicy(origins, hosts []string) (*pagePolicy, error) {
	p := &pagePolicy{origins: slices.Clone(origins), protection: http.NewCrossOriginProtection()}
	for _, host := range hosts {
		if host == "" || strings.ContainsAny(host, ":/ ") {
			return nil, fmt.Errorf("the host %q must be a name without a scheme and a port, such as api.example.com", host)
		}
		p.hosts = append(p.hosts, strings.ToLower(host))
	}
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || u.Scheme == "" || u.Host == "" {
			return nil, fmt.Errorf("the origin %q must be a scheme and a host, such as https://console.example.com", origin)
		}
		if err := p.protection.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("the origin %q: %w", origin, err)
		}
	}
	return p, nil
}

// checkHost is a stage.
func (q *request) checkHost() error { return q.api.pages.checkHost(q.r) }

// share is a stage.
func (q *request) share() error {
	if q.api.pages.share(q.w.Header(), q.r) {
		q.w.WriteHeader(http.StatusNoContent)
		q.done = true
	}
	return nil
}

// checkPage is a stage. A page of an allowed origin may also open WebSockets, which package stream refuses to other
// origins.
func (q *request) checkPage() error {
	switch {
	case q.r.Header["Origin"] == nil && q.r.Header["Sec-Fetch-Site"] == nil: // no browser has sent it for a page
		return nil
	case !q.api.pages.allows(q.r):
		return q.api.pages.check(q.r)
	}
	if stream.WantsSocket(q.r) {
		r := q.r.Clone(q.r.Context())
		r.Header.Del("Origin")
		q.continueAs(r)
	}
	return nil
}

// allows reports whether the request comes from a page of one of the origins.
func (p *pagePolicy) allows(r *http.Request) bool {
	return slices.Contains(p.origins, r.Header.Get("Origin"))
}

// checkHost refuses a request that names another host. A page of that name may have sent it: the owner of a name can
// point it to the address of the API after a browser has loaded the page (DNS rebinding). The page cannot use an IP
// address, because that is another origin.
func (p *pagePolicy) checkHost(r *http.Request) error {
	if len(p.hosts) == 0 || r.Host == "" {
		return nil
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if _, err := netip.ParseAddr(name); err == nil || slices.Contains(p.hosts, name) {
		return nil
	}
	return status.Generic(http.StatusMisdirectedRequest,
		fmt.Sprintf("this API is not served under the host name %q", name))
}

// share adds the headers with which a browser lets a page of an allowed origin read the response (CORS). preflight is
// true for a question of the browser about a later request, which 204 answers; it carries no credentials.
func (p *pagePolicy) share(h http.Header, r *http.Request) (preflight bool) {
	if len(p.origins) == 0 {
		return false
	}
	h.Add("Vary", "Origin")
	if !p.allows(r) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Expose-Headers", "Date, Retry-After, Warning")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "DELETE, GET, HEAD, PATCH, POST, PUT")
	h.Set("Access-Control-Allow-Headers",
		"Accept, Authorization, Content-Type, If-Modified-Since, If-None-Match, X-Requested-With")
	h.Set("Access-Control-Max-Age", "600")
	return true
}

// check refuses a request of a page of another origin that changes something, unless it has a bearer token: no page
// obtains a token by accident.
func (p *pagePolicy) check(r *http.Request) error {
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "bearer") &&
		strings.TrimSpace(token) != "" {
		return nil
	}
	if p.protection.Check(r) != nil {
		return status.Generic(http.StatusForbidden, "a request of a page of another site needs a bearer token")
	}
	return nil
}
