package postgres_test

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
)

// link is a proxy in front of a server. It can be cut or held, and can lead to another server.
type link struct {
	listener net.Listener
	serving  sync.WaitGroup

	mu     sync.Mutex
	target string
	held   chan struct{}     // set while new connections wait
	open   map[net.Conn]bool // true unless the connection loses what it should carry
}

// newLink returns a link to a server.
func newLink(t testing.TB, s *postgrestest.Server) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &link{listener: listener, target: s.Socket(), open: map[net.Conn]bool{}}
	l.serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			l.serving.Go(func() { l.serve(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.lead("")
		l.serving.Wait()
	})
	return l
}

func (l *link) url() string {
	return fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable&connect_timeout=2", l.listener.Addr())
}

// lead cuts all connections, and leads new ones to a socket. An empty path refuses them.
func (l *link) lead(target string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.target = target
	if l.held != nil {
		close(l.held)
		l.held = nil
	}
	l.cut()
}

// hold cuts all connections, and lets new ones wait until the link leads to a server.
func (l *link) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = make(chan struct{})
	}
	l.cut()
}

// cut closes all connections. The caller holds the lock.
func (l *link) cut() {
	for conn := range l.open {
		conn.Close()
	}
}

// swallow makes all open connections lose what either side sends, without an error. New ones work.
func (l *link) swallow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.open {
		l.open[conn] = false
	}
}

// end is the end of a connection to which the link copies.
type end struct {
	net.Conn
	link *link
}

func (e *end) Write(b []byte) (int, error) {
	e.link.mu.Lock()
	carries := e.link.open[e.Conn]
	e.link.mu.Unlock()
	if !carries {
		return len(b), nil
	}
	return e.Conn.Write(b)
}

func (l *link) serve(client net.Conn) {
	defer client.Close()
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	if held != nil {
		<-held
	}
	l.mu.Lock()
	target := l.target
	if l.held != nil {
		target = ""
	}
	l.mu.Unlock()
	if target == "" {
		return
	}
	server, err := net.Dial("unix", target)
	if err != nil {
		return
	}
	defer server.Close()
	l.mu.Lock()
	if l.target != target {
		l.mu.Unlock()
		return
	}
	l.open[client], l.open[server] = true, true
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, client)
		delete(l.open, server)
	}()
	var copying sync.WaitGroup
	copying.Go(func() {
		_, _ = io.Copy(&end{server, l}, client)
		server.Close()
	})
	_, _ = io.Copy(&end{client, l}, server)
	client.Close()
	copying.Wait()
}
