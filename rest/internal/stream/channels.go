package stream

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/coder/websocket"

	"github.com/decorum-go/decorum/internal/channels"
	"github.com/decorum-go/decorum/status"
)

// closingProtocol is the first subprotocol in which a client can end a single channel.
const closingProtocol = "v5.channel.k8s.io"

// channelSocket is a WebSocket with channels, for as long as the host works on them.
type channelSocket struct {
	*channels.Mux
	call     *Call
	socket   *socket
	protocol string
	inputs   []channels.Input
	// ctx ends, and the inputs close, when the client has left or violated the protocol, and when the API shuts down.
	ctx  context.Context
	gone context.CancelCauseFunc
	stop func() bool
}

// openChannels upgrades the request to a WebSocket with as many channels as there are inputs.
func (c *Call) openChannels(ctx context.Context, protocols []string, inputs []channels.Input) (*channelSocket, error) {
	s, err := c.openSocket(protocols)
	if err != nil {
		return nil, err
	}
	ch := &channelSocket{call: c, socket: s, protocol: s.conn.Subprotocol(), inputs: inputs}
	p := channels.Protocol{Base64: strings.Contains(ch.protocol, "base64."), CloseSignal: ch.protocol == closingProtocol}
	if p.Base64 {
		s.kind = websocket.MessageText
	}
	ch.Mux = channels.New(s, p, inputs)
	ch.ctx, ch.gone = context.WithCancelCause(ctx)
	ch.stop = context.AfterFunc(ch.ctx, ch.closeInputs)
	s.receive(ch.Receive, ch.leave)
	return ch, nil
}

// errLeft is the cause of the context after the client has disconnected. If the host's function then fails, the API
// does not log the error, because it is a consequence of the disconnect.
var errLeft = errors.New("the client has left")

// leave ends the context when the client has disconnected.
func (ch *channelSocket) leave(err error) {
	if _, ok := errors.AsType[*channels.Violation](err); !ok {
		err = errLeft
	}
	ch.gone(err)
}

// closeInputs accepts no more input, so that host and client do not wait for each other.
func (ch *channelSocket) closeInputs() {
	for _, in := range ch.inputs {
		if in != nil {
			in.Close(io.ErrClosedPipe)
		}
	}
}

// outcome is what the client reads about how the host's function ended. After the context has ended, err only follows
// from that, so the outcome is the cause of the context.
func (ch *channelSocket) outcome(err error) error {
	if ch.ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ch.ctx)
	if v, ok := errors.AsType[*channels.Violation](cause); ok {
		return status.BadRequest(v.Error())
	}
	return cause
}

// end closes the connection. It returns when no goroutine of it is left.
func (ch *channelSocket) end() {
	code, reason := websocket.StatusNormalClosure, ""
	if ch.ctx.Err() != nil {
		cause := context.Cause(ch.ctx)
		if v, ok := errors.AsType[*channels.Violation](cause); ok {
			code, reason = websocket.StatusPolicyViolation, v.Error()
		} else if errors.Is(cause, ch.call.Ending) {
			code = websocket.StatusGoingAway
		}
	}
	ch.stop()
	ch.closeInputs()
	ch.socket.end(code, reason)
	ch.gone(nil)
}
