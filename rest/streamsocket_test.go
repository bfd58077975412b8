package rest_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// pipeListener is a network without a kernel, so that a test can let hours pass.
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

func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (l *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	closed := make(chan struct{})
	l.conns <- &closingConn{Conn: server, end: sync.OnceFunc(func() { close(closed) })}
	return &pipeConn{Conn: client, closed: closed}, nil
}

// pipeConn is the client's end of a connection, whose client sees the server close it without reading.
type pipeConn struct {
	net.Conn
	closed chan struct{}
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

// A quiet session is pinged, and one that nobody uses any more ends after hours.
func TestQuietSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		things := thingResource()
		things.Subresources = []rest.SubresourceOf[Thing]{thingExec{Name: "exec", Session: func(ctx context.Context, _ *Thing, _ *ThingExecOptions, s *rest.Session) error {
			_, err := io.Copy(s.Stdout, s.Stdin)
			<-ctx.Done()
			ended <- err
			return err
		}}}
		api := start(t, rest.Options{}, things)
		_, err := rest.ClientFor[Thing](api).Namespace("default").Create(t.Context(), &Thing{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
		require.NoError(t, err)
		l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
		server := &http.Server{Handler: api}
		go func() { _ = server.Serve(l) }()
		transport := &http.Transport{DialContext: l.dial}
		pings := make(chan struct{}, 1000)
		conn, _, err := websocket.Dial(t.Context(), "http://pipe"+thingsIn+"/a/exec?stdin=true&stdout=true", &websocket.DialOptions{
			HTTPClient: &http.Client{Transport: transport}, Subprotocols: []string{"v5.channel.k8s.io"},
			OnPingReceived: func(context.Context, []byte) bool { pings <- struct{}{}; return true },
		})
		require.NoError(t, err)
		began := time.Now()
		left := make(chan time.Duration, 1)
		go func() {
			for {
				if _, _, err := conn.Read(context.Background()); err != nil {
					left <- time.Since(began)
					return
				}
			}
		}()

		for range 3 * 60 * 2 {
			<-pings
		}
		assert.Equal(t, 3*time.Hour, time.Since(began), "one every half minute")
		require.NoError(t, conn.Write(t.Context(), websocket.MessageBinary, []byte{0, 'x'}))
		assert.Equal(t, 7*time.Hour, <-left, "four hours after something moved")
		require.Error(t, <-ended)

		require.NoError(t, server.Close())
		require.NoError(t, api.Close())
		transport.CloseIdleConnections()
		_ = conn.CloseNow()
	})
}
