package rest

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/internal/channels"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// The channels of a session.
const (
	stdinChannel = iota
	stdoutChannel
	stderrChannel
	errorChannel
	resizeChannel
	sessionChannels
)

// sessionProtocols are the subprotocols of a session. "" is that of clients that name none.
func sessionProtocols() []string {
	return []string{closingProtocol, "v4.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io", "base64.channel.k8s.io", ""}
}

// streamSession gives the client's terminal to the host.
func (q *request) streamSession(ctx context.Context, bound boundStream) error {
	stdin, stdout, stderr, tty := q.flag("stdin"), q.flag("stdout"), q.flag("stderr"), q.flag("tty")
	if tty {
		stderr = false // a terminal has one screen
	}
	if !stdin && !stdout && !stderr {
		return status.BadRequest("you must specify at least 1 of stdin, stdout, stderr")
	}
	resizes := newResizes()
	inputs := make([]channels.Input, sessionChannels)
	inputs[resizeChannel] = resizes
	session := &Session{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, TTY: tty, Resize: resizes.sizes}
	if stdin {
		buffer := channels.NewBuffer()
		inputs[stdinChannel], session.Stdin = buffer, buffer
	}
	c, err := q.openChannels(ctx, sessionProtocols(), inputs)
	if err != nil {
		return err
	}
	defer c.end()
	if stdout {
		session.Stdout = c.Writer(stdoutChannel)
	}
	if stderr {
		session.Stderr = c.Writer(stderrChannel)
	}
	first := c.Writer(errorChannel)
	switch {
	case stdout:
		first = session.Stdout
	case stderr:
		first = session.Stderr
	}
	_, _ = first.Write(nil) // tells the client that the session has begun
	q.tellOutcome(c, c.outcome(bound.session(c.ctx, session)))
	return nil
}

// flag is the value of a boolean parameter.
func (q *request) flag(name string) bool {
	values := q.parameters()[name]
	return len(values) > 0 && parseBool(values[0])
}

// tellOutcome sends how a session has ended on its error channel: a Status, or only the message of a failure to clients
// from before v4. A client that has left hears nothing.
func (q *request) tellOutcome(c *streamChannels, err error) {
	outcome := status.Status{Status: status.Success}
	if err != nil {
		outcome = q.failure(err).Status
	}
	text := []byte(outcome.Message)
	if strings.HasPrefix(c.protocol, "v") {
		var encodeErr error
		if text, encodeErr = codec.EncodeOwn(&outcome); encodeErr != nil {
			q.failure(encodeErr)
			return
		}
	} else if err == nil {
		return
	}
	_, _ = c.Writer(errorChannel).Write(text)
}

// resizes is the Input of the sizes of a terminal: messages of JSON.
type resizes struct {
	mu     sync.Mutex
	sizes  chan TerminalSize // holds the latest that nobody has taken
	closed bool
}

// maxResize bounds a message with a size.
const maxResize = 1 << 10

func newResizes() *resizes { return &resizes{sizes: make(chan TerminalSize, 1)} }

// Message implements channels.Input. What is no size is left out.
func (r *resizes) Message(message io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(message, maxResize))
	var size TerminalSize
	if err != nil || json.Unmarshal(text, &size) != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	select {
	case <-r.sizes:
	default:
	}
	r.sizes <- size
	return nil
}

// Close implements channels.Input.
func (r *resizes) Close(error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.sizes)
	}
}
