package rest

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/coder/websocket"

	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/stream"
)

// socketOutput sends each event as a message of a WebSocket.
type socketOutput struct {
	q        *request
	conn     *stream.Conn
	kind     websocket.MessageType
	stopRead context.CancelFunc
	left     chan struct{} // closed when nothing is read any more
	late     *time.Timer   // cuts the connection when the shutdown has waited long enough
}

func (q *request) openSocket(text bool, gone context.CancelFunc) (delivery.Output, error) {
	conn, begun, err := stream.Upgrade(q.w, q.r, nil)
	q.wrote = q.wrote || begun
	if err != nil {
		return nil, err
	}
	reading, stop := context.WithCancel(context.Background())
	o := &socketOutput{q: q, conn: conn, kind: websocket.MessageBinary, stopRead: stop, left: make(chan struct{})}
	if text {
		o.kind = websocket.MessageText
	}
	go o.read(reading, gone)
	return o, nil
}

// read answers pings and forgets whatever else the client sends, until it leaves.
func (o *socketOutput) read(ctx context.Context, gone context.CancelFunc) {
	defer close(o.left)
	defer gone()
	o.conn.SetReadLimit(-1) // nothing of it is kept
	for {
		_, message, err := o.conn.Reader(ctx)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, message); err != nil {
			return
		}
	}
}

func (o *socketOutput) EventByEvent() bool { return true }

func (o *socketOutput) Send(event, object, tail []byte) error {
	wait := delivery.StuckAfter
	if o.q.api.closing() {
		wait = delivery.StuckAtEnd
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	timer := time.AfterFunc(wait, cancel)
	defer timer.Stop()
	held := o.q.held.Now
	if held != nil {
		held.Begin()
	}
	if len(object) > 0 {
		return o.sendFragments(ctx, timer, event, object, tail)
	}
	err := o.conn.Write(ctx, o.kind, event)
	if held != nil && err == nil {
		err = held.Took()
	}
	return err
}

// sendFragments sends a message of several parts, and gives the client time for each piece of it.
func (o *socketOutput) sendFragments(ctx context.Context, timer *time.Timer, parts ...[]byte) error {
	message, err := o.conn.Writer(ctx, o.kind)
	if err != nil {
		return err
	}
	for _, part := range parts {
		for piece := range slices.Chunk(part, delivery.PieceSize) {
			if _, err := message.Write(piece); err != nil {
				return err
			}
			if err := o.q.held.Now.Took(); err != nil {
				return err
			}
			if !o.q.api.closing() {
				timer.Reset(delivery.StuckAfter)
			}
		}
	}
	return message.Close()
}

func (o *socketOutput) Cut() { _ = o.conn.CloseNow() }

func (o *socketOutput) Hurry() {
	o.late = time.AfterFunc(delivery.StuckAtEnd, func() { _ = o.conn.CloseNow() })
}

// Close says goodbye, and waits for the client to do so, but not long.
func (o *socketOutput) Close() {
	impatient := time.AfterFunc(delivery.StuckAtEnd, o.conn.Cut)
	_ = o.conn.Close(websocket.StatusNormalClosure, "")
	impatient.Stop()
	if o.late != nil {
		o.late.Stop()
	}
	o.stopRead()
	<-o.left
}
