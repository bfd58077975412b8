package kubeconfig

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/decorum-go/decorum/internal/smallfile"
)

// transportTo returns the transport to a cluster, without credentials. It has the same limits as client-go's
// transport.
func transportTo(c entry[cluster]) (*http.Transport, error) {
	if err := c.value.checkServer(); err != nil {
		return nil, err
	}
	settings, err := tlsOf(c)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     settings,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 25,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  c.value.DisableCompression,
		ForceAttemptHTTP2:   true,
		// Without these pings, the client would use a dead connection until the kernel closes it.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	if c.value.ProxyURL != "" {
		proxy, err := url.Parse(c.value.ProxyURL)
		if err != nil {
			return nil, fmt.Errorf("proxy-url: %w", err)
		}
		switch proxy.Scheme {
		case "http", "https", "socks5":
		default:
			return nil, fmt.Errorf("proxy-url: the scheme of %q is not http, https or socks5", proxy.Redacted())
		}
		t.Proxy = http.ProxyURL(proxy)
	}
	return t, nil
}

// tlsOf returns the configuration for verifying the server.
func tlsOf(c entry[cluster]) (*tls.Config, error) {
	settings := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.value.TLSServerName,
		InsecureSkipVerify: c.value.InsecureSkipTLSVerify}
	authority, err := c.read("certificate-authority", c.value.CertificateAuthority, c.value.CertificateAuthorityData)
	switch {
	case err != nil:
		return nil, err
	case authority == nil:
		return settings, nil
	case c.value.InsecureSkipTLSVerify:
		return nil, errors.New("insecure-skip-tls-verify: cannot be combined with certificate-authority")
	}
	pool, err := poolOf(authority)
	if err != nil {
		return nil, err
	}
	if c.value.CertificateAuthority == "" {
		settings.RootCAs = pool
		return settings, nil
	}
	settings.InsecureSkipVerify = true // because crypto/tls cannot replace RootCAs; VerifyConnection verifies instead
	settings.VerifyConnection = func(state tls.ConnectionState) error {
		return verify(c, state, pool)
	}
	return settings, nil
}

// poolOf returns the authorities in a PEM text.
func poolOf(authority []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, errors.New("certificate-authority: contains no PEM certificate")
	}
	return pool, nil
}

// verify verifies the certificate of the server, as crypto/tls does, by the authorities that the file of the cluster has
// now. If the file has none, because another program may be writing it, the given ones decide, which it had at first.
func verify(c entry[cluster], state tls.ConnectionState, authorities *x509.CertPool) error {
	if text, err := c.read("certificate-authority", c.value.CertificateAuthority, nil); err == nil {
		if renewed, err := poolOf(text); err == nil {
			authorities = renewed
		}
	}
	options := x509.VerifyOptions{Roots: authorities, Intermediates: x509.NewCertPool(), DNSName: state.ServerName}
	if options.DNSName == "" { // the server has an IP address, which clients do not send
		u, err := url.Parse(c.value.Server)
		if err != nil {
			return err
		}
		options.DNSName = u.Hostname()
	}
	for _, intermediate := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(intermediate)
	}
	_, err := state.PeerCertificates[0].Verify(options)
	return err
}

// read returns the content of a field that the entry gives either as a path or as data. It returns nil if the
// entry gives neither.
func (e entry[V]) read(field, path string, data []byte) ([]byte, error) {
	switch {
	case path == "" || len(data) > 0:
		if path != "" {
			return nil, fmt.Errorf("%s: cannot be combined with %s-data", field, field)
		}
		return data, nil
	}
	text, err := smallfile.Read(e.resolve(path))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	return text, nil
}

// certificate returns the client certificate of a user, or nil if the user has none.
func certificate(u entry[user]) (*tls.Certificate, error) {
	chain, err := u.read("client-certificate", u.value.ClientCertificate, u.value.ClientCertificateData)
	if err != nil {
		return nil, err
	}
	key, err := u.read("client-key", u.value.ClientKey, u.value.ClientKeyData)
	switch {
	case err != nil:
		return nil, err
	case chain == nil && key == nil:
		return nil, nil
	case chain == nil:
		return nil, errors.New("client-certificate: required if client-key is set")
	case key == nil:
		return nil, errors.New("client-key: required if client-certificate is set")
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, fmt.Errorf("client-certificate: %w", err)
	}
	return &pair, nil
}
