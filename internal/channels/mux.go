// Package channels multiplexes several byte streams over one connection of messages, in the protocols that Kubernetes
// clients use for exec, attach and port-forward over a WebSocket: each message begins with the number of its channel.
package channels

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Socket is the connection. A Mux calls Next from one goroutine at a time, and Send likewise.
type Socket interface {
	// Next returns the next message. The reader is valid until the next call.
	Next() (io.Reader, error)
	// Send sends a message. It does not keep the bytes.
	Send(message []byte) error
}

// Input receives what the client sends on one channel.
type Input interface {
	// Message reads one message, or a part of it. An error ends the connection. While Message blocks, no other channel
	// receives anything, so it may block only to hold the client back.
	Message(r io.Reader) error
	// Close tells the Input that no more messages come, and why: io.EOF if the client has closed the channel.
	Close(err error)
}

// Protocol is a variant of the message format.
type Protocol struct {
	// Base64 encodes the number of a channel as a digit and the bytes in base64, for clients that can only send text.
	Base64 bool
	// CloseSignal lets a client close a channel by the byte 255, then the number of the channel.
	CloseSignal bool
}

const (
	closeSignal = 255
	// maxMessage bounds one sent message, in bytes of the stream. It is 32 KiB in base64, which clients with a limit
	// accept.
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
	message []byte // the message being sent
}

// New returns a Mux over a connection, with one channel for each input. A nil Input drops what the client sends on its
// channel.
func New(s Socket, p Protocol, inputs []Input) *Mux {
	return &Mux{socket: s, protocol: p, inputs: inputs}
}

// Receive passes messages to the inputs until the client disconnects, an Input returns an error, or a message breaks
// the protocol ([*Violation]). Then it closes all inputs and returns the reason, which is never nil.
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

// dispatch passes one message to its channel. It ignores an empty message.
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
	if wrong := base64.CorruptInputError(0); errors.As(err, &wrong) ||
		m.protocol.Base64 && errors.Is(err, io.ErrUnexpectedEOF) {
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

// Writer returns the writer of a channel. Each Write sends its bytes at once; an empty Write sends an empty message.
// All writers of a Mux are safe for concurrent use.
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
