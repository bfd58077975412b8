// Package socket serves a handler over TLS.
package socket

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Listen listens on a TCP address.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}

// Serve answers requests until ctx ends, and then closes all connections at once: whoever ends a server for tests does
// not want to wait for the watches of its clients. Without a TLS configuration, it speaks plain HTTP.
func Serve(ctx context.Context, listener net.Listener, config *tls.Config, handler http.Handler) error {
	// Clients that drop connections, as tests do, are not worth a log line.
	server := &http.Server{Handler: handler, TLSConfig: config, ReadHeaderTimeout: 30 * time.Second,
		ErrorLog: log.New(io.Discard, "", 0)}
	closed := make(chan struct{})
	defer context.AfterFunc(ctx, func() { defer close(closed); _ = server.Close() })()
	var err error
	if config == nil {
		err = server.Serve(listener)
	} else {
		err = server.ServeTLS(listener, "", "")
	}
	if errors.Is(err, http.ErrServerClosed) {
		<-closed
		return nil
	}
	return err
}

// TLS returns the TLS configuration of a server that accepts client certificates of an authority, and does not require
// them.
func TLS(certificate tls.Certificate, clients *x509.CertPool) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{certificate}, ClientCAs: clients,
		MinVersion: tls.VersionTLS12, ClientAuth: tls.VerifyClientCertIfGiven}
}

// Advertised returns where other machines reach a listener. Like kube-apiserver, it names an address of this machine if
// the listener's own is of no use to others. It returns the zero value if the machine has no other address.
func Advertised(listener net.Listener) netip.AddrPort {
	own, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil || !own.Addr().IsLoopback() && !own.Addr().IsUnspecified() {
		return own
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return netip.AddrPort{}
	}
	for _, a := range addresses {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() && p.Addr().IsGlobalUnicast() {
			return netip.AddrPortFrom(p.Addr(), own.Port())
		}
	}
	return netip.AddrPort{}
}
