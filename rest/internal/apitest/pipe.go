package apitest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// PipeServer serves a handler on a network without a kernel. In a bubble of synctest, hours pass there in no time.
type PipeServer struct {
	URL      string
	Client   *http.Client
	listener *pipeListener
}

// ServeOnPipes serves a handler until the test ends. What configure sets holds for the server, and its protocols for
// the client too.
func ServeOnPipes(t testing.TB, handler http.Handler, configure ...func(*http.Server)) *PipeServer {
	t.Helper()
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: handler}
	for _, c := range configure {
		c(server)
	}
	go func() { _ = server.Serve(l) }()
	transport := &http.Transport{DialContext: l.dial, Protocols: server.Protocols}
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		transport.CloseIdleConnections()
	})
	return &PipeServer{URL: "http://pipe", Client: &http.Client{Transport: transport}, listener: l}
}

// Dial connects without an HTTP client.
func (s *PipeServer) Dial(t testing.TB) net.Conn {
	t.Helper()
	conn, err := s.listener.dial(t.Context(), "", "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// pipeListener hands the server one end of each pipe.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error { close(l.done); return nil }

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (l *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	closed := make(chan struct{})
	l.conns <- &closingConn{Conn: server, end: sync.OnceFunc(func() { close(closed) })}
	return &PipeConn{Conn: client, Closed: closed}, nil
}

// PipeConn is the client's end of a connection, whose client sees the server close it without reading.
type PipeConn struct {
	net.Conn
	Closed chan struct{}
}

// closingConn is the server's end.
type closingConn struct {
	net.Conn
	end func()
}

func (c *closingConn) Close() error {
	defer c.end()
	return c.Conn.Close()
}

// InFlight counts the requests that handlers are answering. Watches and streams are requests too.
type InFlight struct{ atomic.Int64 }

// Of returns a handler whose requests count.
func (f *InFlight) Of(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.Add(1)
		defer f.Add(-1)
		h.ServeHTTP(w, r)
	})
}

// LetPass lets time pass in a bubble of synctest, in which nothing waits for the clock on the wall.
func LetPass(d time.Duration) { <-time.After(d) }
