package channels_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/channels"
)

// script is a connection whose client sends these messages and leaves.
type script struct {
	messages []string
	sent     []string
}

func (s *script) Next() (io.Reader, error) {
	if len(s.messages) == 0 {
		return nil, io.EOF
	}
	m := s.messages[0]
	s.messages = s.messages[1:]
	return strings.NewReader(m), nil
}

func (s *script) Send(message []byte) error {
	s.sent = append(s.sent, string(message))
	return nil
}

// record is an Input that keeps what it receives.
type record struct {
	bytes.Buffer
	closed []error
}

func (r *record) Message(message io.Reader) error {
	_, err := r.ReadFrom(message)
	return err
}

func (r *record) Close(err error) { r.closed = append(r.closed, err) }

func TestReceive(t *testing.T) {
	var (
		binary = channels.Protocol{}
		text   = channels.Protocol{Base64: true}
		v5     = channels.Protocol{CloseSignal: true}
	)
	tests := []struct {
		name      string
		protocol  channels.Protocol
		messages  []string
		zero      string // what channel 0 receives
		two       string // what channel 2 receives
		violation string
	}{
		{"bytes", binary, []string{"\x00ab", "\x02x", "\x00c"}, "abc", "x", ""},
		{"no bytes", binary, []string{"\x00", "", "\x00a"}, "a", "", ""},
		{"a channel that nobody reads", binary, []string{"\x01dropped", "\x00a"}, "a", "", ""},
		{"an unknown channel", binary, []string{"\x00a", "\x03b", "\x00c"}, "a", "", "there is no channel 3"},
		{"a far channel", binary, []string{"\xfe"}, "", "", "there is no channel 254"},
		{"base64", text, []string{"0YWI=", "2eA==", "0Yw=="}, "abc", "x", ""},
		{"base64 of nothing", text, []string{"0", "0YQ=="}, "a", "", ""},
		{"base64 of a number below 0", text, []string{"/YQ=="}, "", "", "there is no channel 255"},
		{"base64 of an unknown channel", text, []string{"3YQ=="}, "", "", "there is no channel 3"},
		{"no base64", text, []string{"0YW*="}, "", "", "a message of channel 0 is not base64"},
		{"base64 without its end", text, []string{"0YWJjZA"}, "abc", "", "a message of channel 0 is not base64"},
		{"no close signal before v5", binary, []string{"\xff\x00"}, "", "", "there is no channel 255"},
		{"close", v5, []string{"\x00a", "\xff\x00", "\x02x"}, "a", "x", ""},
		{"close of a channel that nobody reads", v5, []string{"\xff\x01", "\x02x"}, "", "x", ""},
		{"close of no channel", v5, []string{"\xff"}, "", "", "a close signal must name one channel"},
		{"close of two", v5, []string{"\xff\x00\x01"}, "", "", "a close signal must name one channel"},
		{"close of an unknown channel", v5, []string{"\xff\x03"}, "", "", "there is no channel 3 to close"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var zero, two record
			m := channels.New(&script{messages: tt.messages}, tt.protocol, []channels.Input{&zero, nil, &two})
			err := m.Receive()
			if tt.violation == "" {
				assert.Equal(t, io.EOF, err)
			} else {
				var v *channels.Violation
				require.ErrorAs(t, err, &v)
				assert.EqualError(t, v, tt.violation)
			}
			assert.Equal(t, tt.zero, zero.String())
			assert.Equal(t, tt.two, two.String())
			require.NotEmpty(t, zero.closed)
			assert.Equal(t, err, zero.closed[len(zero.closed)-1], "every input receives the reason for the end")
			assert.Equal(t, []error{err}, two.closed)
		})
	}
}

func TestCloseSignalEndsOneChannel(t *testing.T) {
	var zero, one record
	m := channels.New(&script{messages: []string{"\xff\x00"}}, channels.Protocol{CloseSignal: true},
		[]channels.Input{&zero, &one})
	assert.Equal(t, io.EOF, m.Receive())
	assert.Len(t, zero.closed, 2, "by the signal, and when the client is gone")
	assert.Len(t, one.closed, 1)
}

func TestWriter(t *testing.T) {
	long := strings.Repeat("x", 24<<10-3)
	tests := []struct {
		name     string
		protocol channels.Protocol
		channel  byte
		write    string
		want     []string
	}{
		{"bytes", channels.Protocol{}, 1, "ab", []string{"\x01ab"}},
		{"nothing", channels.Protocol{}, 3, "", []string{"\x03"}},
		{"more than a message holds", channels.Protocol{}, 1, long + "y", []string{"\x01" + long, "\x01y"}},
		{"exactly a message", channels.Protocol{}, 1, long, []string{"\x01" + long}},
		{"base64", channels.Protocol{Base64: true}, 2, "ab", []string{"2YWI="}},
		{"base64 of nothing", channels.Protocol{Base64: true}, 2, "", []string{"2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{}
			n, err := channels.New(s, tt.protocol, nil).Writer(tt.channel).Write([]byte(tt.write))
			require.NoError(t, err)
			assert.Equal(t, len(tt.write), n)
			assert.Equal(t, tt.want, s.sent)
		})
	}
}

// broken is a connection on which the second message is lost.
type broken struct{ script }

func (b *broken) Send(message []byte) error {
	if len(b.sent) == 1 {
		return errors.New("gone")
	}
	return b.script.Send(message)
}

func TestWriterTellsHowMuchWasSent(t *testing.T) {
	n, err := channels.New(&broken{}, channels.Protocol{}, nil).Writer(0).Write(make([]byte, 40<<10))
	assert.EqualError(t, err, "gone")
	assert.Equal(t, 24<<10-3, n)
}

// Messages of concurrent writers do not mix.
func TestWritersDoNotMix(t *testing.T) {
	s := &script{}
	m := channels.New(s, channels.Protocol{}, nil)
	var all sync.WaitGroup
	for i := range byte(4) {
		w := m.Writer(i)
		all.Go(func() {
			for range 100 {
				_, err := w.Write(bytes.Repeat([]byte{i}, 50))
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	require.Len(t, s.sent, 400)
	for _, message := range s.sent {
		assert.Equal(t, strings.Repeat(message[:1], 51), message)
	}
}

// While the host does not read, the client waits. It continues when the host reads.
func TestBufferHoldsTheClientBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := channels.NewBuffer()
		sent := bytes.Repeat([]byte("0123456789"), 10_000)
		done := false
		go func() {
			assert.NoError(t, b.Message(bytes.NewReader(sent)))
			done = true
			b.Close(io.EOF)
		}()
		synctest.Wait()
		assert.False(t, done, "100,000 bytes are more than is kept")
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		assert.Equal(t, sent, got)
	})
}

func TestBufferClosedWhileTheClientWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := channels.NewBuffer()
		go func() {
			assert.NoError(t, b.Message(bytes.NewReader(make([]byte, 100_000))), "what nobody will read is dropped")
		}()
		synctest.Wait()
		b.Close(io.ErrClosedPipe)
		b.Close(io.EOF)
		synctest.Wait()
		got, err := io.ReadAll(b)
		assert.Equal(t, io.ErrClosedPipe, err, "the first reason counts")
		assert.NotEmpty(t, got, "what was received can still be read")
	})
}

func TestBufferWaitsForBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := channels.NewBuffer()
		got := ""
		go func() {
			p := make([]byte, 10)
			n, err := b.Read(p)
			assert.NoError(t, err)
			got = string(p[:n])
		}()
		synctest.Wait()
		assert.Empty(t, got)
		require.NoError(t, b.Message(strings.NewReader("hello")))
		synctest.Wait()
		assert.Equal(t, "hello", got)
		b.Close(io.EOF)
	})
}

// Whatever a client sends, each channel receives the bytes that a plain implementation of the
// protocol delivers.
func FuzzReceive(f *testing.F) {
	f.Add(true, false, []byte("\x02\x00ab\x03\x01x"))
	f.Add(false, true, []byte("\x04\x30YWI=\x01\x31"))
	f.Add(true, false, []byte("\x02\xff\x00\x02\x00a\x01\xff"))
	f.Add(false, false, []byte("\x00\x02\x07x"))
	f.Fuzz(func(t *testing.T, closeSignal, base64 bool, input []byte) {
		var messages []string
		for rest := input; len(rest) > 0; {
			n := min(int(rest[0]), len(rest)-1)
			messages = append(messages, string(rest[1:1+n]))
			rest = rest[1+n:]
		}
		p := channels.Protocol{Base64: base64, CloseSignal: closeSignal}
		var zero, one record
		err := channels.New(&script{messages: messages}, p, []channels.Input{&zero, &one}).Receive()
		want, clean := plainly(p, messages)
		assert.Equal(t, clean, err == io.EOF, "%v", err)
		if clean {
			assert.Equal(t, want, [2]string{zero.String(), one.String()})
		}
	})
}
