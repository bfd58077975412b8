package stream

import (
	"context"
	"io"
	"strings"

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

// sessionProtocols are the subprotocols of a session. "" stands for clients that offer none.
func sessionProtocols() []string {
	return []string{closingProtocol, "v4.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io",
		"base64.channel.k8s.io", ""}
}

// Wanted are the parts of a terminal that a client asks for.
type Wanted struct{ Stdin, Stdout, Stderr, TTY bool }

// Terminal is the client's side of a session. Size is decoded from JSON.
type Terminal[Size any] struct {
	// Stdin is empty if the client sends no input.
	Stdin io.Reader
	// Stdout and Stderr drop what the client has not asked for.
	Stdout, Stderr io.Writer
	TTY            bool
	// Resize holds the latest size. It is closed when the client leaves.
	Resize <-chan Size
}

// Session gives the client's terminal to run, and sends the outcome of run as the last message. It returns an error
// only if the answer has not begun.
func Session[Size any](ctx context.Context, call *Call, w Wanted,
	run func(context.Context, *Terminal[Size]) error) error {
	if w.TTY {
		w.Stderr = false // a terminal has one screen
	}
	if !w.Stdin && !w.Stdout && !w.Stderr {
		return status.BadRequest("you must specify at least 1 of stdin, stdout, stderr")
	}
	sizes := newResizes[Size]()
	inputs := make([]channels.Input, sessionChannels)
	inputs[resizeChannel] = sizes
	t := &Terminal[Size]{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, TTY: w.TTY,
		Resize: sizes.latest}
	if w.Stdin {
		buffer := channels.NewBuffer()
		inputs[stdinChannel], t.Stdin = buffer, buffer
	}
	ch, err := call.openChannels(ctx, sessionProtocols(), inputs)
	if err != nil {
		return err
	}
	defer ch.end()
	if w.Stdout {
		t.Stdout = ch.Writer(stdoutChannel)
	}
	if w.Stderr {
		t.Stderr = ch.Writer(stderrChannel)
	}
	first := ch.Writer(errorChannel)
	switch {
	case w.Stdout:
		first = t.Stdout
	case w.Stderr:
		first = t.Stderr
	}
	_, _ = first.Write(nil) // the client waits for a message to know that the session has begun
	ch.sendOutcome(ch.outcome(run(ch.ctx, t)))
	return nil
}

// sendOutcome sends how a session ended on its error channel: a Status, or, to clients older than v4, only the message
// of a failure. A client that has left receives nothing.
func (ch *channelSocket) sendOutcome(err error) {
	if err == errLeft {
		return
	}
	outcome := status.Status{Status: status.Success}
	if err != nil {
		outcome = ch.call.Failure(err).Status
	}
	text := []byte(outcome.Message)
	if strings.HasPrefix(ch.protocol, "v") {
		var encodeErr error
		if text, encodeErr = codec.EncodeOwn(&outcome); encodeErr != nil {
			ch.call.Failure(encodeErr)
			return
		}
	} else if err == nil {
		return
	}
	_, _ = ch.Writer(errorChannel).Write(text)
}
