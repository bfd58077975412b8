package callout

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
)

// Options configure the [Client] that [New] returns. A function that panics fails the call.
type Options struct {
	// Dial opens a connection, as [net.Dialer.DialContext] does. The address is an IP address and a port, never a name, so
	// Dial cannot reach another address than Allow has seen. Required.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Allow returns an error if the client may not connect to an address. The client asks before each connection. Default:
	// [RefuseLocal].
	Allow func(address netip.AddrPort) error
	// Lookup returns the IP addresses of a host name, as [net.Resolver.LookupNetIP] does. Default: that of
	// net.DefaultResolver.
	Lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	// Resolve returns the address of a service: a host, which may be a name, and a port (default: 443). Allow sees the IP
	// address of the host. Without Resolve, calls of services fail.
	Resolve func(ctx context.Context, service Service) (address string, err error)
	// Credentials returns what the client shows to the server of a webhook. Host is that of its URL with the port, such as
	// "hooks.example.com:443", or "NAME.NAMESPACE.svc:443" for a service. Default: the client shows nothing.
	Credentials func(ctx context.Context, host string) (Credentials, error)
	// Roots are the authorities whose certificates the client trusts if a [Target] has no CABundle. Default: those of the
	// system.
	Roots *x509.CertPool
}

// Credentials are what the client shows to a server.
type Credentials struct {
	// Header has additional headers of the request, such as Authorization.
	Header http.Header
	// Certificate is the client certificate, or nil.
	Certificate *tls.Certificate
}
