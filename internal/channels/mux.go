// Package channels carries several streams of bytes over one connection of messages, as clients of Kubernetes expect of
// exec, attach and port-forward over a WebSocket: each message begins with the number of the channel that it belongs to.
package channels

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Socket is the connection. Next is called by one goroutine at a time, Send too.
type Socket interface {
	// Next returns the next message. It may be read until the next call.
	Next() (io.Reader, error)
	// Send sends a message. The bytes are the caller's again when it returns.
	Send(message []byte) error
}

// Input takes what the client sends on one channel.
type Input interface {
	// Message reads one message as far as it likes. An error ends the connection; while it waits, no other channel gets
	// anything, so it waits only to make the client wait.
	Message(r io.Reader) error
	// Close says that nothing more comes, and why: io.EOF where the client has ended the channel.
	Close(err error)
}

// Protocol is one of the ways to write messages.
type Protocol struct {
	// Base64 writes the number of a channel as a digit ('0' and the number) and the bytes in base64, for clients that can
	// only send text.
	Base64 bool
	// CloseSignal lets a client end a channel: the byte 255, then the number.
	CloseSignal bool
}

const (
	closeSignal = 255
	// maxMessage bounds what is sent in one message, in bytes of the stream: 32 KiB in base64, which clients take that have a
	// limit.
	maxMessage = 24<<10 - 3
)

// Violation is a message that the protocol does not allow.
type Violation struct{ text string }

// Error says what is wrong with the message.
func (v *Violation) Error() string { return v.text }

func violation(format string, args ...any) error {
	return &Violation{fmt.Sprintf(format, args...)}
}

// Mux is a connection with its channels.
type Mux struct {
	socket   Socket
	protocol Protocol
	inputs   []Input

	sending sync.Mutex
	message []byte // that is being sent
}

// New returns the channels of a connection, as many as there are inputs. What the client sends on a channel without an
// Input is dropped.
func New(s Socket, p Protocol, inputs []Input) *Mux {
	return &Mux{socket: s, protocol: p, inputs: inputs}
}

// Receive hands messages to the inputs until the client is gone, an Input returns an error, or a message breaks the
// protocol (*Violation). It returns why it has ended, never nil, with all inputs closed.
func (m *Mux) Receive() error {
	err := m.receive()
	for _, in := range m.inputs {
		if in != nil {
			in.Close(err)
		}
	}
	return err
}

func (m *Mux) receive() error {
	for {
		r, err := m.socket.Next()
		if err != nil {
			return err
		}
		if err := m.dispatch(r); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return err
		}
	}
}

// dispatch hands one message to its channel. An empty one belongs to none.
func (m *Mux) dispatch(r io.Reader) error {
	var head [1]byte
	if _, err := io.ReadFull(r, head[:]); err == io.EOF {
		return nil
	} else if err != nil {
		return err
	}
	if m.protocol.CloseSignal && head[0] == closeSignal {
		return m.closeChannel(r)
	}
	number := head[0]
	if m.protocol.Base64 {
		number -= '0'
		r = base64.NewDecoder(base64.StdEncoding, r)
	}
	if int(number) >= len(m.inputs) {
		return violation("there is no channel %d", number)
	}
	in := m.inputs[number]
	if in == nil {
		return nil
	}
	err := in.Message(r)
	if wrong := base64.CorruptInputError(0); errors.As(err, &wrong) || m.protocol.Base64 && errors.Is(err, io.ErrUnexpectedEOF) {
		return violation("a message of channel %d is not base64", number)
	}
	return err
}

func (m *Mux) closeChannel(r io.Reader) error {
	var numbers [2]byte
	n, err := io.ReadFull(r, numbers[:])
	switch {
	case err != io.EOF && err != io.ErrUnexpectedEOF && err != nil:
		return err
	case n != 1:
		return violation("a close signal must name one channel")
	case int(numbers[0]) >= len(m.inputs):
		return violation("there is no channel %d to close", numbers[0])
	}
	if in := m.inputs[numbers[0]]; in != nil {
		in.Close(io.EOF)
	}
	return nil
}

// Writer returns the writer of a channel. What is written is sent at once; an empty write sends an empty message. It is
// safe for concurrent use, also with the writers of other channels.
func (m *Mux) Writer(channel byte) io.Writer { return &output{m, channel} }

type output struct {
	mux     *Mux
	channel byte
}

func (o *output) Write(p []byte) (int, error) {
	o.mux.sending.Lock()
	defer o.mux.sending.Unlock()
	sent := 0
	for {
		part := p[sent:min(len(p), sent+maxMessage)]
		if err := o.mux.send(o.channel, part); err != nil {
			return sent, err
		}
		if sent += len(part); sent == len(p) {
			return sent, nil
		}
	}
}

func (m *Mux) send(channel byte, p []byte) error {
	if m.protocol.Base64 {
		m.message = base64.StdEncoding.AppendEncode(append(m.message[:0], '0'+channel), p)
	} else {
		m.message = append(append(m.message[:0], channel), p...)
	}
	return m.socket.Send(m.message)
}
