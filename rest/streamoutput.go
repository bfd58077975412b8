package rest

import (
	"context"
	"encoding/base64"
	"io"

	"github.com/coder/websocket"
)

// base64BinaryProtocol is spoken by clients that take text only.
const base64BinaryProtocol = "base64.binary.k8s.io"

// outputProtocols are the subprotocols of a WebSocket that only sends.
func outputProtocols() []string { return []string{"binary.k8s.io", base64BinaryProtocol, ""} }

// streamOutput sends what the host writes, beginning with its first write.
func (q *request) streamOutput(ctx context.Context, s *byteStream, bound boundStream) error {
	ctx, gone := context.WithCancelCause(ctx)
	defer gone(nil)
	out := &lateWriter{begin: func() (io.Writer, func(), error) { return q.beginOutput(s.contentType, gone) }}
	err := bound.output(ctx, out)
	if err == nil {
		_, err = out.Write(nil) // an answer without bytes is one, too
	}
	begun := out.w != nil
	if err != nil && ctx.Err() != nil {
		if err = context.Cause(ctx); begun { // what follows from it is no failure
			err = nil
		}
	}
	if begun {
		out.end()
	}
	return err
}

// beginOutput opens the answer. end ends it.
func (q *request) beginOutput(contentType string, gone context.CancelCauseFunc) (w io.Writer, end func(), err error) {
	if !wantsSocket(q.r) {
		o, err := q.openResponse([]string{contentType}, idleAfter)
		if err != nil {
			return nil, nil, err
		}
		var h hurried
		q.api.atEnd.add(&h, o.hurry)
		return o, func() {
			h.stop()
			o.close()
		}, nil
	}
	s, err := q.openStreamSocket(outputProtocols())
	if err != nil {
		return nil, nil, err
	}
	o := &socketWriter{socket: s}
	if s.conn.Subprotocol() == base64BinaryProtocol {
		o.base64 = true
		s.kind = websocket.MessageText
	}
	s.receive(s.discard, gone)
	_, _ = o.Write(nil) // tells the client that the stream has begun
	return o, func() { s.end(websocket.StatusNormalClosure, "") }, nil
}

// lateWriter begins the answer when the host writes for the first time.
type lateWriter struct {
	begin func() (w io.Writer, end func(), err error)
	w     io.Writer // nil as long as the answer has not begun
	end   func()
	err   error // why it cannot begin
}

func (l *lateWriter) Write(p []byte) (int, error) {
	if l.w == nil && l.err == nil {
		l.w, l.end, l.err = l.begin()
	}
	if l.err != nil {
		return 0, l.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	return l.w.Write(p)
}

// Write sends a part of the answer's body.
func (o *responseOutput) Write(p []byte) (int, error) {
	if err := o.send(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// socketWriter sends each write as a message.
type socketWriter struct {
	socket *streamSocket
	base64 bool
	text   []byte // that is being sent
}

func (o *socketWriter) Write(p []byte) (int, error) {
	message := p
	if o.base64 {
		o.text = base64.StdEncoding.AppendEncode(o.text[:0], p)
		message = o.text
	}
	if err := o.socket.Send(message); err != nil {
		return 0, err
	}
	return len(p), nil
}
