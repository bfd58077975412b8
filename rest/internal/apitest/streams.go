package apitest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// NoOutput is a log without a line.
func NoOutput(context.Context, *Thing, *LogOptions, io.Writer) error { return nil }

// ThingForwardOptions are the parameters of a connection to a Thing.
type ThingForwardOptions struct {
	Ports []int32 `json:"ports,omitempty"`
}

// ThingProxyOptions are the parameters of a proxy.
type ThingProxyOptions struct {
	Path string `json:"path,omitempty"`
}

// LogOptions are the parameters of the log of a Thing.
type LogOptions struct {
	Follow    bool     `json:"follow,omitempty"`
	TailLines *int64   `json:"tailLines,omitempty" api:"min=0"`
	Container string   `json:"container,omitempty" api:"default=main"`
	Ratio     float64  `json:"ratio,omitempty"`
	Level     []string `json:"level,omitempty"`
	Lines     []int32  `json:"lines,omitempty"`
}

// NewThingStreams is a server of Things with one stream, and a Thing "a".
func NewThingStreams(t testing.TB, options rest.Options, streams ...rest.SubresourceOf[Thing]) *ThingServer {
	t.Helper()
	things := ThingResource()
	things.Subresources = streams
	s := NewThingServer(t, options, things)
	s.MustCreate(t, "a")
	return s
}

// ThingLog is a stream of output.
type ThingLog = rest.Stream[Thing, LogOptions]

// FollowedLog is a log that sends what a channel brings, until its context ends.
func FollowedLog(lines <-chan string, ended chan<- error) ThingLog {
	return ThingLog{Name: "log", Output: func(ctx context.Context, _ *Thing, _ *LogOptions, out io.Writer) error {
		_, _ = out.Write(nil)
		for {
			select {
			case line := <-lines:
				if _, err := fmt.Fprintln(out, line); err != nil {
					ended <- err
					return err
				}
			case <-ctx.Done():
				ended <- context.Cause(ctx)
				return ctx.Err()
			}
		}
	}}
}

// ThingProxy is a stream that a host serves itself.
type ThingProxy = rest.Stream[Thing, ThingProxyOptions]

// ThingExecOptions are the parameters of a command.
type ThingExecOptions struct {
	Command []string `json:"command,omitempty"`
}

// ThingExec is a session.
type ThingExec = rest.Stream[Thing, ThingExecOptions]

// Shell is a command line with a few commands.
func Shell(ctx context.Context, thing *Thing, o *ThingExecOptions, s *rest.Session) error {
	switch o.Command[0] {
	case "echo":
		_, _ = fmt.Fprintln(s.Stdout, strings.Join(o.Command[1:], " "))
		_, _ = fmt.Fprintln(s.Stderr, "said by", thing.Name)
		return nil
	case "cat":
		_, err := io.Copy(s.Stdout, s.Stdin)
		return err
	case "upper":
		for lines := bufio.NewScanner(s.Stdin); lines.Scan(); {
			if _, err := fmt.Fprintln(s.Stdout, strings.ToUpper(lines.Text())); err != nil {
				return err
			}
		}
		return ctx.Err()
	case "false":
		return status.NonZeroExit(1)
	case "broken":
		return errors.New("fuse 3 has blown")
	case "missing":
		return status.NotFound(apimeta.GroupResource{Group: ThingGroup, Resource: "things"}, "the command")
	case "panic":
		panic("boom")
	case "sizes":
		for size := range s.Resize {
			_, _ = fmt.Fprintf(s.Stdout, "%dx%d tty=%v", size.Width, size.Height, s.TTY)
		}
		return nil
	case "wait":
		<-ctx.Done()
		return ctx.Err()
	}
	return status.BadRequest("no such command")
}

// Session is the client of a command.
type Session struct {
	*websocket.Conn
	T        testing.TB
	Protocol string
}

// OpenSession opens the session exec of the Thing a.
func OpenSession(t testing.TB, server, protocol, query string) *Session {
	t.Helper()
	return OpenSessionBy(t, http.DefaultClient, server, protocol, query)
}

// OpenSessionBy opens a session with this HTTP client.
func OpenSessionBy(t testing.TB, client *http.Client, server, protocol, query string) *Session {
	t.Helper()
	options := &websocket.DialOptions{HTTPClient: client}
	if protocol != "" {
		options.Subprotocols = []string{protocol}
	}
	conn := DialWebSocket(t, server+Things+"/a/exec?"+query, options)
	require.Equal(t, protocol, conn.Subprotocol())
	return &Session{Conn: conn, T: t, Protocol: protocol}
}

func (s *Session) base64() bool { return strings.Contains(s.Protocol, "base64") }

// Send sends a text on a channel.
func (s *Session) Send(channel byte, text string) {
	s.T.Helper()
	kind, data := websocket.MessageBinary, append([]byte{channel}, text...)
	if s.base64() {
		kind, data = websocket.MessageText, append([]byte{'0' + channel}, base64.StdEncoding.EncodeToString([]byte(text))...)
	}
	require.NoError(s.T, s.Write(context.Background(), kind, data))
}

// Next reads the next message.
func (s *Session) Next() (channel byte, text string) {
	s.T.Helper()
	kind, data := ReadMessage(s.T, s.Conn)
	require.NotEmpty(s.T, data)
	if !s.base64() {
		require.Equal(s.T, websocket.MessageBinary, kind)
		return data[0], string(data[1:])
	}
	require.Equal(s.T, websocket.MessageText, kind)
	decoded, err := base64.StdEncoding.DecodeString(string(data[1:]))
	require.NoError(s.T, err)
	return data[0] - '0', string(decoded)
}

// ReadToEnd reads until the server closes, and returns what came on each channel and how it closed.
func (s *Session) ReadToEnd() (got [5]string, code websocket.StatusCode) {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Deadline)
	defer cancel()
	var texts [len(got)]strings.Builder
	for {
		_, data, err := s.Read(ctx)
		if err != nil {
			for channel := range texts {
				got[channel] = texts[channel].String()
			}
			return got, websocket.CloseStatus(err)
		}
		text := string(data[1:])
		if s.base64() {
			data[0] -= '0'
			decoded, err := base64.StdEncoding.DecodeString(text)
			require.NoError(s.T, err)
			text = string(decoded)
		}
		texts[data[0]].WriteString(text)
	}
}

// OutcomeOf reads the Status with which a session has ended.
func OutcomeOf(t testing.TB, text string) status.Status {
	t.Helper()
	var s status.Status
	require.NoError(t, json.Unmarshal([]byte(text), &s), text)
	return s
}

// LogBuffer is what streams log, some of which end only after their clients.
type LogBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps what is logged.
func (l *LogBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is all that was logged.
func (l *LogBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
