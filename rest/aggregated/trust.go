package aggregated

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/controller"
)

// Where the cluster publishes how its proxy and its clients prove who they are.
const (
	trustNamespace = "kube-system"
	trustName      = "extension-apiserver-authentication"
)

// trust is the content of the ConfigMap.
type trust struct {
	all     *x509.CertPool       // the authorities of the proxies and of the clients
	proxies access.Authenticator // nil if the cluster names no proxies
	clients access.Authenticator

	mu       sync.Mutex
	verified map[[sha256.Size]byte]verified
}

// verified are the chains from a certificate to authorities, which are valid until a time.
type verified struct {
	chains [][]*x509.Certificate
	until  time.Time
}

// maxVerified bounds how many certificates a trust remembers. A cluster has a few proxies. Beyond it, trust forgets
// all.
const maxVerified = 1000

// followTrust follows the ConfigMap. If it disappears or becomes invalid, the last valid content stays in use:
// kube-apiserver writes it again each minute.
func (c *Cluster) followTrust(ctx context.Context) {
	informer := controller.NewInformer(c.clients.configMaps, controller.InformerOptions[configMap]{
		FieldSelector: "metadata.name=" + trustName, Logger: c.options.Logger})
	informer.AddHandler(controller.Handler[configMap]{
		OnAdd:    c.believe,
		OnUpdate: func(_, m *configMap) { c.believe(m) },
	})
	c.follow(ctx, needsTrust, informer.Run)
}

// probeTrust returns why the ConfigMap has not been read.
func (c *Cluster) probeTrust(ctx context.Context) error {
	if c.trusted.Load() != nil {
		return nil
	}
	m, err := c.clients.configMaps.Get(ctx, trustName)
	if err == nil {
		_, err = newTrust(m)
	}
	if err == nil && c.trusted.Load() == nil {
		err = errReading // the informer is about to
	}
	return err
}

// believe applies the content of the ConfigMap from the next request on.
func (c *Cluster) believe(m *configMap) {
	t, err := newTrust(m)
	if err != nil {
		c.options.Logger.Error("aggregated: the authorities that the cluster publishes are invalid, and do not count",
			"configMap", trustNamespace+"/"+trustName, "error", err)
		return
	}
	for _, warning := range warnings(m) {
		c.options.Logger.Error("aggregated: the configuration of the cluster is not safe", "warning", warning)
	}
	c.trusted.Store(t)
	c.missing.set(needsTrust, nil)
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// newTrust reads a ConfigMap.
func newTrust(m *configMap) (*trust, error) {
	t := &trust{all: x509.NewCertPool(), verified: map[[sha256.Size]byte]verified{}}
	clients, err := t.pool(m, "client-ca-file")
	if err != nil {
		return nil, err
	}
	t.clients = auth.Certificates(clients)
	proxies, err := t.pool(m, "requestheader-client-ca-file")
	if err != nil {
		return nil, err
	}
	if proxies.Equal(x509.NewCertPool()) || proxies.Equal(clients) {
		return t, nil // see warnings
	}
	o := auth.RequestHeaderOptions{Authorities: proxies, UserAuthorities: clients}
	for key, into := range map[string]*[]string{
		"requestheader-allowed-names":        &o.Names,
		"requestheader-username-headers":     &o.UserHeaders,
		"requestheader-uid-headers":          &o.UIDHeaders,
		"requestheader-group-headers":        &o.GroupHeaders,
		"requestheader-extra-headers-prefix": &o.ExtraHeaderPrefixes,
	} {
		*into = []string{} // the cluster uses no header that it does not name
		if text := m.Data[key]; text != "" {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
		}
		if *into == nil { // null
			*into = []string{}
		}
	}
	t.proxies, err = auth.RequestHeaders(o)
	return t, err
}

// pool returns the authorities in a field, and adds them to those that verify certificates.
func (t *trust) pool(m *configMap, key string) (*x509.CertPool, error) {
	pool, rest := x509.NewCertPool(), []byte(m.Data[key])
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		pool.AddCert(certificate)
		t.all.AddCert(certificate)
	}
	if m.Data[key] != "" && pool.Equal(x509.NewCertPool()) {
		return nil, fmt.Errorf("%s: contains no PEM certificate", key)
	}
	return pool, nil
}

// warnings returns the settings of a ConfigMap that are unsafe or do not work.
func warnings(m *configMap) (all []string) {
	t := trust{all: x509.NewCertPool()}
	clients, _ := t.pool(m, "client-ca-file")
	proxies, _ := t.pool(m, "requestheader-client-ca-file")
	var names []string
	_ = json.Unmarshal([]byte(m.Data["requestheader-allowed-names"]), &names)
	switch {
	case proxies.Equal(x509.NewCertPool()):
		all = append(all, "the cluster names no authority of its proxies, so their requests get 401; "+
			"start kube-apiserver with --requestheader-client-ca-file")
	case proxies.Equal(clients):
		all = append(all, "the cluster has one authority for its proxies and for its clients, so every client could act as "+
			"any user; the server ignores headers until --requestheader-client-ca-file names another one")
	case len(names) == 0:
		all = append(all, "the cluster names no proxies, so anybody with a certificate of the authority of the proxies can "+
			"act as any user; start kube-apiserver with --requestheader-allowed-names")
	}
	return all
}

// verify returns the request with the chains that these authorities verify, and no others. The server that has received
// the request has verified nothing: see [Cluster.TLSConfig].
func (t *trust) verify(r *http.Request) *http.Request {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 && len(r.TLS.VerifiedChains) == 0 {
		return r
	}
	connection := *r.TLS
	connection.VerifiedChains = t.chains(r.TLS)
	r = r.WithContext(r.Context()) // a copy
	r.TLS = &connection
	return r
}

// chains returns the chains from the certificate of a client to the authorities, or none.
func (t *trust) chains(connection *tls.ConnectionState) [][]*x509.Certificate {
	presented := connection.PeerCertificates
	if len(presented) == 0 {
		return nil
	}
	hash := sha256.New()
	for _, certificate := range presented {
		hash.Write(certificate.Raw)
	}
	key := [sha256.Size]byte(hash.Sum(nil))
	now := time.Now()
	t.mu.Lock()
	known, ok := t.verified[key]
	t.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.chains
	}
	options := x509.VerifyOptions{Roots: t.all, Intermediates: x509.NewCertPool(), CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	for _, intermediate := range presented[1:] {
		options.Intermediates.AddCert(intermediate)
	}
	chains, err := presented[0].Verify(options)
	if err != nil {
		return nil
	}
	t.remember(key, chains)
	return chains
}

// remember keeps chains until one of their certificates expires.
func (t *trust) remember(key [sha256.Size]byte, chains [][]*x509.Certificate) {
	until := chains[0][0].NotAfter
	for _, chain := range chains {
		for _, certificate := range chain {
			if certificate.NotAfter.Before(until) {
				until = certificate.NotAfter
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.verified) >= maxVerified {
		clear(t.verified)
	}
	t.verified[key] = verified{chains, until}
}
