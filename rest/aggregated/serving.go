package aggregated

import (
	"crypto/tls"
	"sync"
	"time"
)

// TLSConfig returns the configuration of the server, for the [net/http.Server] of host.Options. It asks each client for
// a certificate and accepts any, because the plug-in verifies certificates for each request, by the authorities that
// the cluster trusts then. A server with another configuration must ask for certificates too, and must not name
// ClientCAs: the proxy then sends none if its authority has changed.
func (c *Cluster) TLSConfig() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert, GetCertificate: c.certificate}
}

// certificate returns the certificate of the server.
func (c *Cluster) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c.options.GetCertificate != nil {
		return c.options.GetCertificate(hello)
	}
	return c.serving.get(c.options.Publish.names())
}

// serving is the certificate that the plug-in makes.
type serving struct {
	mu      sync.Mutex
	current *tls.Certificate
	by      *authority // who has signed it; nil for nobody
}

// names returns the names under which clients reach the service. kube-apiserver uses the first.
func (p *Publication) names() []string {
	name := p.Service.Name + "." + p.Service.Namespace + ".svc"
	return []string{name, name + ".cluster.local", p.Service.Name + "." + p.Service.Namespace, p.Service.Name}
}

// get returns the certificate. Until the plug-in has read the Secret, it is one that no client trusts. Probes do not
// verify it, so they reach the server.
func (s *serving) get(names []string) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		if err := s.replace(names, nil, time.Now()); err != nil {
			return nil, err
		}
	}
	return s.current, nil
}

// renew replaces the certificate if another authority signs now, or if half of its life is over.
func (s *serving) renew(names []string, by authority, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by != nil && s.by.certificate.Equal(by.certificate) {
		leaf := s.current.Leaf
		if now.Before(leaf.NotBefore.Add(leaf.NotAfter.Sub(leaf.NotBefore) / 2)) {
			return nil
		}
	}
	return s.replace(names, &by, now)
}

// replace makes a certificate. The caller holds the lock.
func (s *serving) replace(names []string, by *authority, now time.Time) error {
	signer := by
	if signer == nil {
		made, err := newAuthority("nobody", now)
		if err != nil {
			return err
		}
		signer = &made
	}
	made, err := signer.certify(names, now)
	if err != nil {
		return err
	}
	s.current, s.by = &tls.Certificate{Certificate: [][]byte{made.certificate.Raw}, PrivateKey: made.key,
		Leaf: made.certificate}, by
	return nil
}
