package stream

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/coder/websocket"

	"github.com/decorum-go/decorum/rest/internal/delivery"
)

// EventSocket is the output of a watch that sends each event as a message of a WebSocket.
type EventSocket struct {
	conn     *Conn
	kind     websocket.MessageType
	ending   *delivery.Ending
	held     *delivery.Held
	stopRead context.CancelFunc
	left     chan struct{} // closed when nothing is read any more
	late     *time.Timer   // cuts the connection when the shutdown has waited long enough
}

// NewEventSocket returns the output over an upgraded connection, in messages of text or of bytes. gone is called when
// the client leaves.
func NewEventSocket(conn *Conn, text bool, ending *delivery.Ending, held *delivery.Held,
	gone context.CancelFunc) *EventSocket {
	reading, stop := context.WithCancel(context.Background())
	s := &EventSocket{conn: conn, kind: websocket.MessageBinary, ending: ending, held: held, stopRead: stop,
		left: make(chan struct{})}
	if text {
		s.kind = websocket.MessageText
	}
	go s.read(reading, gone)
	return s
}

// read answers pings and forgets whatever else the client sends, until it leaves.
func (s *EventSocket) read(ctx context.Context, gone context.CancelFunc) {
	defer close(s.left)
	defer gone()
	s.conn.SetReadLimit(-1) // nothing of it is kept
	for {
		_, message, err := s.conn.Reader(ctx)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, message); err != nil {
			return
		}
	}
}

// EventByEvent implements [delivery.Output].
func (s *EventSocket) EventByEvent() bool { return true }

// Send implements [delivery.Output].
func (s *EventSocket) Send(event, object, tail []byte) error {
	wait := delivery.StuckAfter
	if s.ending.Err() != nil {
		wait = delivery.StuckAtEnd
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	timer := time.AfterFunc(wait, cancel)
	defer timer.Stop()
	if len(object) > 0 {
		return s.sendFragments(ctx, timer, event, object, tail)
	}
	held := s.held.Now
	if held != nil {
		held.Begin()
	}
	err := s.conn.Write(ctx, s.kind, event)
	if held != nil && err == nil {
		err = held.Took()
	}
	return err
}

// sendFragments sends a message of several parts, and gives the client time for each piece of it.
func (s *EventSocket) sendFragments(ctx context.Context, timer *time.Timer, parts ...[]byte) error {
	message, err := s.conn.Writer(ctx, s.kind)
	if err != nil {
		return err
	}
	for _, part := range parts {
		for piece := range slices.Chunk(part, delivery.PieceSize) {
			s.held.Now.Begin()
			if _, err := message.Write(piece); err != nil {
				return err
			}
			if err := s.held.Now.Took(); err != nil {
				return err
			}
			if s.ending.Err() == nil {
				timer.Reset(delivery.StuckAfter)
			}
		}
	}
	return message.Close()
}

// Hurry implements [delivery.Output].
func (s *EventSocket) Hurry() {
	s.late = time.AfterFunc(delivery.StuckAtEnd, func() { _ = s.conn.CloseNow() })
}

// Cut implements [delivery.Output].
func (s *EventSocket) Cut() { _ = s.conn.CloseNow() }

// Close implements [delivery.Output]: it says goodbye, and waits for the client to do so, but not long.
func (s *EventSocket) Close() {
	impatient := time.AfterFunc(delivery.StuckAtEnd, s.conn.Cut)
	_ = s.conn.Close(websocket.StatusNormalClosure, "")
	impatient.Stop()
	if s.late != nil {
		s.late.Stop()
	}
	s.stopRead()
	<-s.left
}
