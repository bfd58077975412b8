package stream_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/status"
)

var limits = stream.Limits{Idle: time.Hour, End: time.Second}

var errEnding = errors.New("the API ends")

// host is an API that serves one stream, over a network without a kernel, so that it can run in a bubble.
type host struct {
	ctx    context.Context // the context of the stream
	end    context.CancelCauseFunc
	served chan struct{} // closed when the stream has been served
	err    error         // what the stream returned

	failures atomic.Int32 // how many errors the stream has reported

	mu      sync.Mutex
	hurries map[*func()]bool

	server    http.Server
	transport http.Transport
	conns     chan net.Conn
	closed    chan struct{}
}

// newHost serves one request with serve.
func newHost(t *testing.T, serve func(context.Context, *stream.Call) error) *host {
	h := &host{served: make(chan struct{}), hurries: map[*func()]bool{}, conns: make(chan net.Conn),
		closed: make(chan struct{})}
	h.ctx, h.end = context.WithCancelCause(context.Background())
	h.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(h.served)
		h.err = serve(h.ctx, h.call(w, r))
	})
	h.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		h.conns <- server
		return client, nil
	}
	go func() { _ = h.server.Serve(h) }()
	t.Cleanup(func() {
		h.end(nil)
		h.transport.CloseIdleConnections()
		require.NoError(t, h.server.Close())
	})
	return h
}

func (h *host) call(w http.ResponseWriter, r *http.Request) *stream.Call {
	return &stream.Call{
		Request: r, Writer: w, Limits: limits, AtEnd: h.atEnd, Ending: errEnding,
		Failure: func(err error) *status.Error { h.failures.Add(1); return status.From(err) },
	}
}

func (h *host) atEnd(hurry func()) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hurries[&hurry] = true
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.hurries, &hurry)
	}
}

// hurried is how many wait to be hurried.
func (h *host) hurried() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.hurries)
}

// shutDown is what an API does when it ends.
func (h *host) shutDown() {
	h.end(errEnding)
	h.mu.Lock()
	defer h.mu.Unlock()
	for hurry := range h.hurries {
		(*hurry)()
	}
}

// dial opens a WebSocket.
func (h *host) dial(t *testing.T, protocol string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "http://host", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &h.transport}, Subprotocols: []string{protocol},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// Accept implements [net.Listener].
func (h *host) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (h *host) Close() error { close(h.closed); return nil }

// Addr implements [net.Listener].
func (h *host) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
