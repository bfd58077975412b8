package rest_test

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
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// ThingExecOptions are the parameters of a command.
type ThingExecOptions struct {
	Command []string `json:"command,omitempty"`
}

type thingExec = rest.Stream[Thing, ThingExecOptions]

// shell is a command line with a few commands.
func shell(ctx context.Context, thing *Thing, o *ThingExecOptions, s *rest.Session) error {
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
		return status.NotFound(apimeta.GroupResource{Group: thingGroup, Resource: "things"}, "the command")
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

// session is the client of a command.
type session struct {
	*websocket.Conn
	t        testing.TB
	protocol string
}

func openSession(t testing.TB, server, protocol, query string) *session {
	t.Helper()
	return openSessionBy(t, http.DefaultClient, server, protocol, query)
}

func openSessionBy(t testing.TB, client *http.Client, server, protocol, query string) *session {
	t.Helper()
	options := &websocket.DialOptions{HTTPClient: client}
	if protocol != "" {
		options.Subprotocols = []string{protocol}
	}
	conn := socket(t, server+thingsIn+"/a/exec?"+query, options)
	require.Equal(t, protocol, conn.Subprotocol())
	return &session{Conn: conn, t: t, protocol: protocol}
}

func (s *session) base64() bool { return strings.Contains(s.protocol, "base64") }

func (s *session) write(channel byte, text string) {
	s.t.Helper()
	kind, data := websocket.MessageBinary, append([]byte{channel}, text...)
	if s.base64() {
		kind, data = websocket.MessageText, append([]byte{'0' + channel}, base64.StdEncoding.EncodeToString([]byte(text))...)
	}
	require.NoError(s.t, s.Write(context.Background(), kind, data))
}

func (s *session) next() (channel byte, text string) {
	s.t.Helper()
	kind, data := message(s.t, s.Conn)
	require.NotEmpty(s.t, data)
	if !s.base64() {
		require.Equal(s.t, websocket.MessageBinary, kind)
		return data[0], string(data[1:])
	}
	require.Equal(s.t, websocket.MessageText, kind)
	decoded, err := base64.StdEncoding.DecodeString(string(data[1:]))
	require.NoError(s.t, err)
	return data[0] - '0', string(decoded)
}

// rest reads until the server closes, and returns what came on each channel and how it closed.
func (s *session) rest() (got [5]string, code websocket.StatusCode) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), thingDeadline)
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
			require.NoError(s.t, err)
			text = string(decoded)
		}
		texts[data[0]].WriteString(text)
	}
}

func outcomeOf(t testing.TB, text string) status.Status {
	t.Helper()
	var s status.Status
	require.NoError(t, json.Unmarshal([]byte(text), &s), text)
	return s
}

// logged is what streams log, some of which end only after their clients.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestSession(t *testing.T) {
	var log logged
	s := streamed(t, rest.Options{Logger: thingLogger(&log)}, thingExec{Name: "exec", Session: shell})
	server := thingHTTP(t, s.api).URL
	const success = `{"metadata":{},"status":"Success"}`
	logs := map[string]string{"an error": "fuse 3 has blown", "a panic": "panic in the host's hook Session of exec: boom"}
	for _, c := range []struct {
		name, protocol, query  string
		stdout, stderr, failed string
	}{
		{"v5", "v5.channel.k8s.io", "stdout=true&stderr=true&command=echo&command=a&command=b", "a b\n", "said by a\n", success},
		{"v4", "v4.channel.k8s.io", "stdout=true&stderr=true&command=echo&command=a", "a\n", "said by a\n", success},
		{"v4 in base64", "v4.base64.channel.k8s.io", "stdout=true&stderr=true&command=echo&command=a", "a\n", "said by a\n", success},
		{"v1", "channel.k8s.io", "stdout=true&stderr=true&command=echo&command=a", "a\n", "said by a\n", ""},
		{"v1 in base64", "base64.channel.k8s.io", "stdout=true&command=echo&command=a", "a\n", "", ""},
		{"none", "", "stderr=true&command=echo&command=a", "", "said by a\n", ""},
		{"a terminal has no stderr", "v5.channel.k8s.io", "stdout=1&stderr=1&tty=1&command=echo&command=a", "a\n", "", success},
		{"an exit code", "v5.channel.k8s.io", "stdout=true&command=false", "", "",
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: exit status 1","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"1"}]}}`},
		{"an exit code of old", "channel.k8s.io", "stdout=true&command=false", "", "", "command terminated with non-zero exit code: exit status 1"},
		{"a Status", "v4.channel.k8s.io", "stdout=true&command=missing", "", "",
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"things.things.example.com \"the command\" not found","reason":"NotFound","details":{"name":"the command","group":"things.example.com","kind":"things"},"code":404}`},
		{"an error", "channel.k8s.io", "stdout=true&command=broken", "", "", "Internal error occurred: the request could not be completed"},
		{"a panic", "channel.k8s.io", "stdout=true&command=panic", "", "", "Internal error occurred: the request could not be completed"},
		{"stdin that the client does not send is at its end", "v4.channel.k8s.io", "stdout=true&command=cat", "", "", success},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := openSession(t, server, c.protocol, c.query)
			channel, text := client.next()
			assert.Empty(t, text, "the first message says that the session has begun")
			if strings.Contains(c.query, "stdout") {
				assert.Equal(t, byte(1), channel)
			} else {
				assert.Equal(t, byte(2), channel)
			}
			got, code := client.rest()
			assert.Equal(t, [5]string{1: c.stdout, 2: c.stderr, 3: c.failed}, got)
			assert.Equal(t, websocket.StatusNormalClosure, code)
			awaitThat(t, "the log says why", func() bool { return strings.Contains(log.String(), logs[c.name]) })
		})
	}
	assert.Equal(t, 200, s.do("GET", thingsIn+"/a", "").Code)
}

func TestSessionStdin(t *testing.T) {
	server := thingHTTP(t, streamed(t, rest.Options{}, thingExec{Name: "exec", Session: shell}).api).URL
	t.Run("is ended by the close signal of v5", func(t *testing.T) {
		client := openSession(t, server, "v5.channel.k8s.io", "stdin=true&stdout=true&command=cat")
		client.write(0, "hello ")
		client.write(0, "world")
		client.write(4, "no size") // is left out
		require.NoError(t, client.Write(t.Context(), websocket.MessageBinary, []byte{255, 0}))
		got, code := client.rest()
		assert.Equal(t, "hello world", got[1])
		assert.Equal(t, status.Success, outcomeOf(t, got[3]).Status)
		assert.Equal(t, websocket.StatusNormalClosure, code)
	})
	for _, protocol := range []string{"v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io"} {
		t.Run("is a conversation in "+protocol, func(t *testing.T) {
			client := openSession(t, server, protocol, "stdin=true&stdout=true&command=upper")
			client.next()
			for _, line := range []string{"a\n", "b\n"} {
				client.write(0, line)
				_, got := client.next()
				assert.Equal(t, strings.ToUpper(line), got)
			}
		})
	}
	t.Run("is as long as it likes", func(t *testing.T) {
		client := openSession(t, server, "v5.channel.k8s.io", "stdin=true&stdout=true&command=cat")
		const megabytes = 16
		go func() {
			for range megabytes {
				_ = client.Write(context.Background(), websocket.MessageBinary, make([]byte, 1<<20))
			}
			_ = client.Write(context.Background(), websocket.MessageBinary, []byte{255, 0})
		}()
		got, code := client.rest()
		assert.Len(t, got[1], megabytes*(1<<20-1))
		assert.Equal(t, websocket.StatusNormalClosure, code)
	})
}

func TestSessionResize(t *testing.T) {
	server := thingHTTP(t, streamed(t, rest.Options{}, thingExec{Name: "exec", Session: shell}).api).URL
	client := openSession(t, server, "v5.channel.k8s.io", "stdout=true&tty=true&command=sizes")
	client.next()
	client.write(4, `{"Width":80,"Height":24}`+"\n")
	_, got := client.next()
	require.Equal(t, "80x24 tty=true", got)
	client.write(4, "no size")
	client.write(4, `{"Width":-1,"Height":24}`)
	client.write(4, `"`+strings.Repeat("x", 100_000)+`"`)
	client.write(4, `{"Width":100,"Height":50}`)
	_, got = client.next()
	require.Equal(t, "100x50 tty=true", got)
}

func TestSessionRefusals(t *testing.T) {
	s := streamed(t, rest.Options{}, thingExec{
		Name:    "exec",
		Check:   func(_ context.Context, _ *Thing, o *ThingExecOptions) error { return checkCommand(o) },
		Session: shell,
	})
	server := thingHTTP(t, s.api)
	for _, c := range []struct {
		name, method, target string
		header               []string
		code                 int
		message              string
	}{
		{"no object", "GET", "/b/exec?stdout=true&command=echo", upgradeHeaders(), 404, `things.things.example.com "b" not found`},
		{"no upgrade", "GET", "/a/exec?stdout=true&command=echo", nil, 400, "Upgrade request required"},
		{"no upgrade of a POST", "POST", "/a/exec?stdout=true&command=echo", nil, 400, "Upgrade request required"},
		{"SPDY", "POST", "/a/exec?stdout=true&command=echo", []string{"Connection", "Upgrade", "Upgrade", "SPDY/3.1"}, 400, "exec is served over WebSocket, not SPDY/3.1: use a newer client"},
		{"what is wrong is told before that", "POST", "/b/exec?command=echo", []string{"Connection", "Upgrade", "Upgrade", "SPDY/3.1"}, 404, `things.things.example.com "b" not found`},
		{"by the host", "GET", "/a/exec?stdout=true", upgradeHeaders(), 400, "you must specify a command"},
		{"no stream", "GET", "/a/exec?command=echo", upgradeHeaders(), 400, "you must specify at least 1 of stdin, stdout, stderr"},
		{"nothing but what a terminal has not", "GET", "/a/exec?command=echo&tty=true&stderr=true", upgradeHeaders(), 400, "you must specify at least 1 of stdin, stdout, stderr"},
		{"another protocol", "GET", "/a/exec?stdout=true&command=echo", upgradeHeaders("Sec-WebSocket-Protocol", "v6.channel.k8s.io"), 400,
			"requested protocol(s) are not supported: [v6.channel.k8s.io]; supports [v5.channel.k8s.io v4.channel.k8s.io v4.base64.channel.k8s.io channel.k8s.io base64.channel.k8s.io ]"},
		{"a page of another site", "GET", "/a/exec?stdout=true&command=echo", upgradeHeaders("Origin", "https://evil.example"), 403, `a WebSocket from the origin "https://evil.example" needs a bearer token`},
		{"another verb", "DELETE", "/a/exec?stdout=true&command=echo", nil, 405, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := received(t, open(t.Context(), t, server.Client(), c.method, server.URL+thingsIn+c.target, c.header...))
			var got status.Status
			a.decode(t, &got)
			assert.Equal(t, c.code, a.Code)
			if c.message != "" {
				assert.Equal(t, c.message, got.Message)
			}
		})
	}
}

func checkCommand(o *ThingExecOptions) error {
	if len(o.Command) == 0 {
		return status.BadRequest("you must specify a command")
	}
	return nil
}

// A client that breaks the protocol is told so, and the host's function ends.
func TestSessionProtocolIsKept(t *testing.T) {
	server := thingHTTP(t, streamed(t, rest.Options{}, thingExec{Name: "exec", Session: shell}).api).URL
	for _, c := range []struct {
		name, protocol string
		message        []byte
		code           websocket.StatusCode
		told           string
	}{
		{"an unknown channel", "v5.channel.k8s.io", []byte{5, 'x'}, websocket.StatusPolicyViolation, "there is no channel 5"},
		{"the close signal before v5", "v4.channel.k8s.io", []byte{255, 0}, websocket.StatusPolicyViolation, "there is no channel 255"},
		{"a close signal without a channel", "v5.channel.k8s.io", []byte{255}, websocket.StatusPolicyViolation, "a close signal must name one channel"},
		{"no base64", "v4.base64.channel.k8s.io", []byte("0???"), websocket.StatusPolicyViolation, "a message of channel 0 is not base64"},
		{"too long a message", "v5.channel.k8s.io", append([]byte{4}, make([]byte, 1<<20)...), websocket.StatusMessageTooBig, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := openSession(t, server, c.protocol, "stdin=true&stdout=true&command=wait")
			client.next()
			require.NoError(t, client.Write(t.Context(), websocket.MessageBinary, c.message))
			got, code := client.rest()
			assert.Equal(t, c.code, code)
			if c.told != "" {
				assert.Equal(t, c.told, outcomeOf(t, got[3]).Message)
				assert.Equal(t, status.ReasonBadRequest, outcomeOf(t, got[3]).Reason)
			}
		})
	}
	t.Run("what goes to an output is dropped", func(t *testing.T) {
		client := openSession(t, server, "v5.channel.k8s.io", "stdin=true&stdout=true&command=cat")
		client.write(1, "x")
		client.write(2, "x")
		client.write(3, "x")
		require.NoError(t, client.Write(t.Context(), websocket.MessageBinary, nil), "and so is an empty message")
		client.write(0, "y")
		require.NoError(t, client.Write(t.Context(), websocket.MessageBinary, []byte{255, 0}))
		got, _ := client.rest()
		assert.Equal(t, "y", got[1])
	})
}

func TestSessionEnds(t *testing.T) {
	var answering inFlight
	ended := make(chan error, 1)
	waiting := thingExec{Name: "exec", Session: func(ctx context.Context, _ *Thing, _ *ThingExecOptions, s *rest.Session) error {
		_, err := io.Copy(io.Discard, s.Stdin) // ends with the context
		<-ctx.Done()
		ended <- err
		return ctx.Err()
	}}
	const query = "stdin=true&stdout=true&command=x"
	t.Run("with the client's goodbye", func(t *testing.T) {
		s := streamed(t, rest.Options{}, waiting)
		client := openSession(t, thingHTTP(t, answering.of(s.api)).URL, "v4.channel.k8s.io", query)
		client.next()
		require.NoError(t, client.Close(websocket.StatusNormalClosure, ""))
		require.NoError(t, within(t, "the session", ended), "its input is at its end")
	})
	t.Run("with the client's connection", func(t *testing.T) {
		s := streamed(t, rest.Options{}, waiting)
		client := openSession(t, thingHTTP(t, answering.of(s.api)).URL, "v4.channel.k8s.io", query)
		client.next()
		require.NoError(t, client.CloseNow())
		require.Error(t, within(t, "the session", ended))
	})
	t.Run("with the API", func(t *testing.T) {
		s := streamed(t, rest.Options{}, waiting)
		client := openSession(t, thingHTTP(t, answering.of(s.api)).URL, "v5.channel.k8s.io", query)
		client.next()
		closed := inBackground(s.api.Close)
		got, code := client.rest()
		require.Equal(t, websocket.StatusGoingAway, code)
		require.Equal(t, status.ReasonServiceUnavailable, outcomeOf(t, got[3]).Reason)
		require.NoError(t, within(t, "Close", closed))
		require.Error(t, <-ended)
	})
	t.Run("with the API, whatever the client does", func(t *testing.T) {
		for name, command := range map[string]func(context.Context, *rest.Session) error{
			"it does not read": func(_ context.Context, s *rest.Session) error {
				for {
					if _, err := s.Stdout.Write(make([]byte, 1<<20)); err != nil {
						return err
					}
				}
			},
			"it does not say goodbye": func(ctx context.Context, _ *rest.Session) error { <-ctx.Done(); return nil },
		} {
			t.Run(name, func(t *testing.T) {
				s := streamed(t, rest.Options{}, thingExec{Name: "exec", Session: func(ctx context.Context, _ *Thing, _ *ThingExecOptions, s *rest.Session) error {
					return command(ctx, s)
				}})
				openSession(t, thingHTTP(t, answering.of(s.api)).URL, "v5.channel.k8s.io", query)
				began := time.Now()
				require.NoError(t, within(t, "Close", inBackground(s.api.Close)))
				require.Less(t, time.Since(began), thingDeadline/2)
			})
		}
	})
	awaitThat(t, "nothing is left", func() bool { return answering.Load() == 0 })
}

// A host that does not read makes its client wait, and what is kept for it is bounded.
func TestSessionHoldsItsClientBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, sent := make(chan struct{}), make(chan int, 10_000)
		s := streamed(t, rest.Options{}, thingExec{Name: "exec", Session: func(_ context.Context, _ *Thing, _ *ThingExecOptions, s *rest.Session) error {
			<-read
			n, err := io.Copy(io.Discard, s.Stdin)
			_, _ = fmt.Fprint(s.Stdout, n)
			return err
		}})
		server := pipeHTTP(t, s.api)
		client := openSessionBy(t, server.Client, server.URL, "v5.channel.k8s.io", "stdin=true&stdout=true&command=x")
		client.next()
		const messages = 40
		go func() {
			for i := range messages {
				_ = client.Write(t.Context(), websocket.MessageBinary, make([]byte, 1<<20))
				sent <- i
			}
			_ = client.Write(t.Context(), websocket.MessageBinary, []byte{255, 0})
		}()
		synctest.Wait()
		require.Less(t, len(sent), messages/4, "little is taken before the host reads")
		close(read)
		got, code := client.rest()
		require.Equal(t, websocket.StatusNormalClosure, code)
		require.Equal(t, fmt.Sprint(messages*(1<<20-1)), got[1])
	})
}
