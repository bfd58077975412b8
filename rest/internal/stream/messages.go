package stream

import (
	"context"
	"encoding/base64"
	"io"

	"github.com/coder/websocket"
)

// base64BinaryProtocol is for clients that accept text only.
const base64BinaryProtocol = "base64.binary.k8s.io"

// outputProtocols are the subprotocols of a WebSocket that only sends.
func outputProtocols() []string { return []string{"binary.k8s.io", base64BinaryProtocol, ""} }

// messages sends each Write as one message of a WebSocket.
type messages struct {
	socket *socket
	base64 bool
	text   []byte // reused for each message in base64
}

// openMessages upgrades the request to a WebSocket for output. What the client sends is dropped.
func (c *Call) openMessages(gone context.CancelCauseFunc) (io.WriteCloser, error) {
	s, err := c.openSocket(outputProtocols())
	if err != nil {
		return nil, err
	}
	m := &messages{socket: s}
	if s.conn.Subprotocol() == base64BinaryProtocol {
		m.base64 = true
		s.kind = websocket.MessageText
	}
	s.receive(s.discard, gone)
	_, _ = m.Write(nil) // the client waits for a message to know that the stream has begun
	return m, nil
}

func (m *messages) Write(p []byte) (int, error) {
	message := p
	if m.base64 {
		m.text = base64.StdEncoding.AppendEncode(m.text[:0], p)
		message = m.text
	}
	if err := m.socket.Send(message); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close ends the connection and returns when no goroutine of it is left.
func (m *messages) Close() error {
	m.socket.end(websocket.StatusNormalClosure, "")
	return nil
}
