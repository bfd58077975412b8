package rest

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/coder/websocket"

	"github.com/decorum-go/decorum/internal/channels"
	"github.com/decorum-go/decorum/status"
)

// closingProtocol is the first subprotocol whose clients can end one channel.
const closingProtocol = "v5.channel.k8s.io"

// streamChannels are the channels of a WebSocket while the host works on them.
type streamChannels struct {
	*channels.Mux
	socket   *streamSocket
	protocol string
	inputs   []channels.Input
	// ctx is over when the client has left or broken the protocol, and when the API ends; the inputs are closed then.
	ctx  context.Context
	gone context.CancelCauseFunc
	stop func() bool
}

// openChannels makes the request a WebSocket with as many channels as there are inputs.
func (q *request) openChannels(ctx context.Context, protocols []string, inputs []channels.Input) (*streamChannels, error) {
	socket, err := q.openStreamSocket(protocols)
	if err != nil {
		return nil, err
	}
	c := &streamChannels{socket: socket, protocol: socket.conn.Subprotocol(), inputs: inputs}
	p := channels.Protocol{Base64: strings.Contains(c.protocol, "base64."), CloseSignal: c.protocol == closingProtocol}
	if p.Base64 {
		socket.kind = websocket.MessageText
	}
	c.Mux = channels.New(socket, p, inputs)
	c.ctx, c.gone = context.WithCancelCause(ctx)
	c.stop = context.AfterFunc(c.ctx, c.closeInputs)
	socket.receive(c.Receive, c.gone)
	return c, nil
}

// closeInputs lets nothing more in, so that neither the host nor the client waits for the other.
func (c *streamChannels) closeInputs() {
	for _, in := range c.inputs {
		if in != nil {
			in.Close(io.ErrClosedPipe)
		}
	}
}

// outcome is what the client is told of how the host's function has ended. Where that follows from the end of the context
// it is the reason of that.
func (c *streamChannels) outcome(err error) error {
	if c.ctx.Err() == nil {
		return err
	}
	cause := context.Cause(c.ctx)
	if v, ok := errors.AsType[*channels.Violation](cause); ok {
		return status.BadRequest(v.Error())
	}
	return cause
}

// end closes the connection and returns when nothing of it runs any more.
func (c *streamChannels) end() {
	code, reason := websocket.StatusNormalClosure, ""
	if c.ctx.Err() != nil {
		if v, ok := errors.AsType[*channels.Violation](context.Cause(c.ctx)); ok {
			code, reason = websocket.StatusPolicyViolation, v.Error()
		} else if errors.Is(context.Cause(c.ctx), errEnding) {
			code = websocket.StatusGoingAway
		}
	}
	c.stop()
	c.closeInputs()
	c.socket.end(code, reason)
	c.gone(nil)
}
