package stream

import (
	"context"
	"io"
	"time"

	"github.com/coder/websocket"
)

const (
	// maxMessage bounds a message from a client, which is never held as a whole. A client that sends a larger one is
	// disconnected with code 1009.
	maxMessage = 1 << 20
	// pingPeriod is how often a ping shows the connection to be alive to whatever lies between the stream and its client.
	pingPeriod = 30 * time.Second
)

// socket is the WebSocket of a stream.
type socket struct {
	conn   *Conn
	kind   websocket.MessageType
	limits Limits
	ctx    context.Context // a context that ends when the connection is cut
	cut    context.CancelFunc
	idle   *time.Timer   // cuts the connection when nothing has moved for long
	left   chan struct{} // closed when nothing more is read
	stop   []func()
}

// openSocket upgrades the request to a WebSocket that speaks one of the protocols. When the API shuts down, the
// connection is cut after limits.End.
func (c *Call) openSocket(protocols []string) (*socket, error) {
	conn, begun, err := Upgrade(c.Writer, c.Request, protocols)
	c.Begun = c.Begun || begun
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	s := &socket{conn: conn, kind: websocket.MessageBinary, limits: c.Limits, left: make(chan struct{})}
	s.ctx, s.cut = context.WithCancel(context.Background())
	s.idle = time.AfterFunc(c.Limits.Idle, s.cut)
	calm := c.AtEnd(func() { time.AfterFunc(c.Limits.End, s.cut) })
	pings := make(chan struct{})
	go func() {
		defer close(pings)
		s.ping()
	}()
	s.stop = []func(){calm, func() { s.idle.Stop() }, func() { <-pings }}
	return s, nil
}

// ping sends pings until the connection is cut. An unanswered ping means nothing: a client that waits for the host, or
// for a person who has paused the output, reads nothing meanwhile.
func (s *socket) ping() {
	tick := time.NewTicker(pingPeriod)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			ctx, cancel := context.WithTimeout(s.ctx, pingPeriod/2)
			_ = s.conn.Ping(ctx)
			cancel()
		}
	}
}

// receive runs read, which takes the client's messages until the client leaves, and passes its error to gone.
func (s *socket) receive(read func() error, gone context.CancelCauseFunc) {
	go func() {
		defer close(s.left)
		gone(read())
	}()
}

// Next implements channels.Socket. A client that closes the connection in an orderly way is at its end.
func (s *socket) Next() (io.Reader, error) {
	_, r, err := s.conn.Reader(s.ctx)
	s.idle.Reset(s.limits.Idle)
	if code := websocket.CloseStatus(err); code == websocket.StatusNormalClosure || code == websocket.StatusGoingAway {
		return nil, io.EOF
	}
	return r, err
}

// Send implements channels.Socket. It waits for a client that does not read.
func (s *socket) Send(message []byte) error {
	err := s.conn.Write(s.ctx, s.kind, message)
	s.idle.Reset(s.limits.Idle)
	return err
}

// discard reads and drops what the client sends until it leaves.
func (s *socket) discard() error {
	for {
		r, err := s.Next()
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return err
		}
	}
}

// end closes the connection, giving the client limits.End to do so too. It returns when no goroutine of the socket is
// left.
func (s *socket) end(code websocket.StatusCode, reason string) {
	impatient := time.AfterFunc(s.limits.End, s.conn.Cut)
	_ = s.conn.Close(code, reason)
	impatient.Stop()
	s.cut()
	<-s.left
	for _, stop := range s.stop {
		stop()
	}
}
