package callout

import (
	"container/list"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// maxPools limits how many pools have kept connections: as many as upstream keeps clients of webhooks.
	maxPools = 200
	// maxIdle and maxIdleOfHost limit the kept connections of a pool.
	maxIdle, maxIdleOfHost = 100, 25
	idleTime               = 90 * time.Second
	maxHeader              = 64 << 10
)

// poolKey says which calls may share connections: those that verify the server alike and show the same certificate.
type poolKey struct {
	bundle      string // PEM
	serverName  string // empty: the host of the URL
	certificate [sha256.Size]byte
}

// pool is a transport and its connections.
type pool struct {
	transport *http.Transport
	users     int
	dropped   bool // pools has dropped it, so the last user closes the connections
	place     *list.Element
}

// pools are the pools that calls have used last. The zero value is ready.
type pools struct {
	mu    sync.Mutex
	byKey map[poolKey]*pool
	order list.List // list of poolKey, the most recently used first
}

// acquire returns the pool for a key and a client certificate, which may be nil. The caller releases it.
func (p *pools) acquire(c *Client, key poolKey, shown *tls.Certificate) (*pool, error) {
	if shown != nil {
		sum := sha256.New()
		for _, der := range shown.Certificate {
			sum.Write(der)
		}
		key.certificate = [sha256.Size]byte(sum.Sum(nil))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.byKey[key]; found != nil {
		found.users++
		p.order.MoveToFront(found.place)
		return found, nil
	}
	config, err := c.tlsConfig(key, shown)
	if err != nil {
		return nil, err
	}
	if len(p.byKey) >= maxPools {
		p.drop(p.order.Back())
	}
	made := &pool{transport: c.transport(config), users: 1, place: p.order.PushFront(key)}
	if p.byKey == nil {
		p.byKey = map[poolKey]*pool{}
	}
	p.byKey[key] = made
	return made, nil
}

// release ends one use of a pool.
func (p *pools) release(used *pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if used.users--; used.users == 0 && used.dropped {
		used.transport.CloseIdleConnections()
	}
}

// drop forgets a pool. p.mu is held.
func (p *pools) drop(place *list.Element) {
	key := p.order.Remove(place).(poolKey)
	dropped := p.byKey[key]
	delete(p.byKey, key)
	if dropped.dropped = true; dropped.users == 0 {
		dropped.transport.CloseIdleConnections()
	}
}

// close forgets all pools.
func (p *pools) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for place := p.order.Front(); place != nil; place = p.order.Front() {
		p.drop(place)
	}
}

// transport returns a transport that takes nothing from the environment. It speaks HTTP/1.1, as upstream does to
// webhooks: HTTP/2 would send all calls to one of the servers behind an address.
func (c *Client) transport(config *tls.Config) *http.Transport {
	return &http.Transport{
		DialTLSContext: func(ctx context.Context, _, address string) (net.Conn,
			error) {
			return c.dialTLS(ctx, address, config)
		},
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("callout: not an https URL")
		},
		MaxIdleConns: maxIdle, MaxIdleConnsPerHost: maxIdleOfHost, IdleConnTimeout: idleTime,
		MaxResponseHeaderBytes: maxHeader, DisableCompression: true,
	}
}

// tlsConfig returns how to verify servers.
func (c *Client) tlsConfig(key poolKey, shown *tls.Certificate) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.options.Roots, ServerName: key.serverName,
		NextProtos: []string{"http/1.1"}}
	if key.bundle != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(key.bundle)) {
			return nil, errors.New("unable to load root certificates: the CA bundle has no valid certificate in PEM")
		}
	}
	if shown != nil {
		config.Certificates = []tls.Certificate{*shown}
	}
	return config, nil
}
