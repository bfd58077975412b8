package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"
	"time"
)

// backends are the addresses of the replicas.
type backends struct {
	mu        sync.Mutex
	addresses []string // empty while a replica does not run
	next      int
	changed   chan struct{}
}

func newBackends(count int) *backends {
	return &backends{addresses: make([]string, count), changed: make(chan struct{})}
}

// set records where a replica serves; "" means nowhere.
func (b *backends) set(number int, address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addresses[number] = address
	close(b.changed)
	b.changed = make(chan struct{})
}

// all waits until every replica serves.
func (b *backends) all(ctx context.Context) error {
	for {
		b.mu.Lock()
		complete, changed := !slices.Contains(b.addresses, ""), b.changed
		b.mu.Unlock()
		if complete {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// inTurn returns the addresses, each time beginning with the next one.
func (b *backends) inTurn() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	first := b.next % len(b.addresses)
	all := append(slices.Clone(b.addresses[first:]), b.addresses[:first]...)
	return slices.DeleteFunc(all, func(a string) bool { return a == "" })
}

// dial connects to the next replica that accepts a connection. No request has been sent yet, so another replica may get
// it.
func (b *backends) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: time.Second}
	err := errors.New("no replica runs")
	for _, address := range b.inTurn() {
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, network, address); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// newProxy returns a proxy that sends each request to the next replica. A proxy in production also asks the replicas
// for /readyz.
func newProxy(b *backends) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "replicas"
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		FlushInterval: -1, // watches send single events
		Transport:     &http.Transport{DialContext: b.dial, DisableKeepAlives: true, DisableCompression: true},
	}
}
