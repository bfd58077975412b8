package rest

import (
	"context"
	"io"
	"time"

	"github.com/coder/websocket"
)

const (
	// maxStreamMessage bounds a message from a client. It is never held as a whole; a client that sends more is closed with
	// 1009.
	maxStreamMessage = 1 << 20
	// pingPeriod is how often a stream shows that it lives to whatever lies between it and its client.
	pingPeriod = 30 * time.Second
)

// streamSocket is the WebSocket of a stream.
type streamSocket struct {
	conn *websocket.Conn
	kind websocket.MessageType
	ctx  context.Context // over when the connection is cut
	cut  context.CancelFunc
	idle *time.Timer // cuts the connection when nothing has moved for long
	left chan struct{}
	stop []func()
}

// openStreamSocket makes the request a WebSocket that speaks one of these protocols. Once the API has ended, the stream
// has little time left.
func (q *request) openStreamSocket(protocols []string) (*streamSocket, error) {
	conn, err := q.upgrade(protocols)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxStreamMessage)
	s := &streamSocket{conn: conn, kind: websocket.MessageBinary, left: make(chan struct{})}
	s.ctx, s.cut = context.WithCancel(context.Background())
	s.idle = time.AfterFunc(idleAfter, s.cut)
	var h hurried
	q.api.atEnd.add(&h, func() { time.AfterFunc(stuckAtEnd, s.cut) })
	pings := make(chan struct{})
	go func() {
		defer close(pings)
		s.ping()
	}()
	s.stop = []func(){h.stop, func() { s.idle.Stop() }, func() { <-pings }}
	return s, nil
}

// ping sends pings until the connection is cut. That one is not answered in time says nothing: a client that waits for
// the host, or for a person who has stopped the output, reads nothing meanwhile.
func (s *streamSocket) ping() {
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

// receive runs read, which takes the client's messages, and calls gone with what it returns: the client has left.
func (s *streamSocket) receive(read func() error, gone context.CancelCauseFunc) {
	go func() {
		defer close(s.left)
		gone(read())
	}()
}

// Next implements channels.Socket. A client that has said goodbye is at its end.
func (s *streamSocket) Next() (io.Reader, error) {
	_, r, err := s.conn.Reader(s.ctx)
	s.idle.Reset(idleAfter)
	if code := websocket.CloseStatus(err); code == websocket.StatusNormalClosure || code == websocket.StatusGoingAway {
		return nil, io.EOF
	}
	return r, err
}

// Send implements channels.Socket. It waits for a client that does not read.
func (s *streamSocket) Send(message []byte) error {
	err := s.conn.Write(s.ctx, s.kind, message)
	s.idle.Reset(idleAfter)
	return err
}

// discard forgets what the client sends until it leaves.
func (s *streamSocket) discard() error {
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

// end says goodbye, waits for the client to do so, but not long, and returns when nothing of the stream runs any more.
func (s *streamSocket) end(code websocket.StatusCode, reason string) {
	impatient := time.AfterFunc(stuckAtEnd, s.cut)
	_ = s.conn.Close(code, reason)
	impatient.Stop()
	s.cut()
	<-s.left
	for _, stop := range s.stop {
		stop()
	}
}
