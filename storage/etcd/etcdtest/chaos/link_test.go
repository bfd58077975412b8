package chaos_test

import (
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// link is the network between a replica and a member of etcd. While it is cut, connections stay open, but nothing
// arrives.
type link struct {
	listener net.Listener
	target   string
	closed   chan struct{}

	mu    sync.Mutex
	flows chan struct{} // closed while data flows
	conns []net.Conn
}

// newLink returns a link to a URL, and the URL at which it listens.
func newLink(t testing.TB, target string) (l *link, endpoint string) {
	t.Helper()
	u, err := url.Parse(target)
	require.NoError(t, err)
	l = &link{target: u.Host, closed: make(chan struct{}), flows: make(chan struct{})}
	close(l.flows)
	l.listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var running sync.WaitGroup
	running.Go(func() { l.accept(&running) })
	t.Cleanup(func() {
		close(l.closed)
		l.listener.Close()
		l.mu.Lock()
		for _, conn := range l.conns {
			conn.Close()
		}
		l.mu.Unlock()
		running.Wait()
	})
	return l, "http://" + l.listener.Addr().String()
}

func (l *link) accept(running *sync.WaitGroup) {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		running.Go(func() {
			defer near.Close()
			if !l.pass(near) {
				return
			}
			far, err := net.Dial("tcp", l.target)
			if err != nil {
				return
			}
			defer far.Close()
			if !l.pass(far) {
				return
			}
			var back sync.WaitGroup
			back.Go(func() { l.copy(near, far) })
			l.copy(far, near)
			back.Wait()
		})
	}
}

// pass remembers a connection, and waits while the link is cut. It returns false if the test ends.
func (l *link) pass(conn net.Conn) bool {
	l.mu.Lock()
	l.conns = append(l.conns, conn)
	flows := l.flows
	l.mu.Unlock()
	select {
	case <-flows:
	case <-l.closed:
	}
	select {
	case <-l.closed:
		return false
	default:
		return true
	}
}

// copy copies from one connection to the other until one of them ends, and then ends both.
func (l *link) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.mu.Lock()
		flows := l.flows
		l.mu.Unlock()
		select {
		case <-flows:
		case <-l.closed:
			return
		}
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.flows:
		l.flows = make(chan struct{})
	default: // it is cut already
	}
}

// sever cuts the link and ends its connections, as a network does after a while.
func (l *link) sever() {
	l.cut()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		conn.Close()
	}
	l.conns = nil
}

func (l *link) heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.flows:
	default:
		close(l.flows)
	}
}
