package stream_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestSession(t *testing.T) {
	var log apitest.LogBuffer
	s := apitest.NewThingStreams(t, rest.Options{Logger: apitest.LoggerTo(&log)},
		apitest.ThingExec{Name: "exec", Session: apitest.Shell})
	server := apitest.Serve(t, s.API).URL
	const success = `{"metadata":{},"status":"Success"}`
	logs := map[string]string{"an error": "fuse 3 has blown", "a panic": "panic in the host's hook Session of exec: boom"}
	for _, c := range []struct {
		name, protocol, query  string
		stdout, stderr, failed string
	}{
		{"v5", "v5.channel.k8s.io", "stdout=true&stderr=true&command=echo&command=a&command=b", "a b\n", "said by a\n",
			success},
		{"v4", "v4.channel.k8s.io", "stdout=true&stderr=true&command=echo&command=a", "a\n", "said by a\n", success},
		{"v4 in base64", "v4.base64.channel.k8s.io", "stdout=true&stderr=true&command=echo&command=a", "a\n", "said by a\n",
			success},
		{"v1", "channel.k8s.io", "stdout=true&stderr=true&command=echo&command=a", "a\n", "said by a\n", ""},
		{"v1 in base64", "base64.channel.k8s.io", "stdout=true&command=echo&command=a", "a\n", "", ""},
		{"none", "", "stderr=true&command=echo&command=a", "", "said by a\n", ""},
		{"a terminal has no stderr", "v5.channel.k8s.io", "stdout=1&stderr=1&tty=1&command=echo&command=a", "a\n", "",
			success},
		{"an exit code", "v5.channel.k8s.io", "stdout=true&command=false", "", "",
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: exit status 1","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"1"}]}}`},
		{"an exit code of old", "channel.k8s.io", "stdout=true&command=false", "", "",
			"command terminated with non-zero exit code: exit status 1"},
		{"a Status", "v4.channel.k8s.io", "stdout=true&command=missing", "", "",
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"things.things.example.com \"the command\" not found","reason":"NotFound","details":{"name":"the command","group":"things.example.com","kind":"things"},"code":404}`},
		{"an error", "channel.k8s.io", "stdout=true&command=broken", "", "",
			"Internal error occurred: the request could not be completed"},
		{"a panic", "channel.k8s.io", "stdout=true&command=panic", "", "",
			"Internal error occurred: the request could not be completed"},
		{"stdin that the client does not send is at its end", "v4.channel.k8s.io", "stdout=true&command=cat", "", "",
			success},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := apitest.OpenSession(t, server, c.protocol, c.query)
			channel, text := client.Next()
			assert.Empty(t, text, "the first message says that the session has begun")
			if strings.Contains(c.query, "stdout") {
				assert.Equal(t, byte(1), channel)
			} else {
				assert.Equal(t, byte(2), channel)
			}
			got, code := client.ReadToEnd()
			assert.Equal(t, [5]string{1: c.stdout, 2: c.stderr, 3: c.failed}, got)
			assert.Equal(t, websocket.StatusNormalClosure, code)
			apitest.Await(t, "the log says why", func() bool { return strings.Contains(log.String(), logs[c.name]) })
		})
	}
	assert.Equal(t, 200, s.Do("GET", apitest.Things+"/a", "").Code)
}

func TestSessionStdin(t *testing.T) {
	server := apitest.Serve(t, apitest.NewThingStreams(t, rest.Options{},
		apitest.ThingExec{Name: "exec", Session: apitest.Shell}).API).URL
	t.Run("is ended by the close signal of v5", func(t *testing.T) {
		client := apitest.OpenSession(t, server, "v5.channel.k8s.io", "stdin=true&stdout=true&command=cat")
		client.Send(0, "hello ")
		client.Send(0, "world")
		client.Send(4, "no size") // is left out
		require.NoError(t, client.Write(t.Context(), websocket.MessageBinary, []byte{255, 0}))
		got, code := client.ReadToEnd()
		assert.Equal(t, "hello world", got[1])
		assert.Equal(t, status.Success, apitest.OutcomeOf(t, got[3]).Status)
		assert.Equal(t, websocket.StatusNormalClosure, code)
	})
	for _, protocol := range []string{"v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io"} {
		t.Run("is a conversation in "+protocol, func(t *testing.T) {
			client := apitest.OpenSession(t, server, protocol, "stdin=true&stdout=true&command=upper")
			client.Next()
			for _, line := range []string{"a\n", "b\n"} {
				client.Send(0, line)
				_, got := client.Next()
				assert.Equal(t, strings.ToUpper(line), got)
			}
		})
	}
	t.Run("is as long as it likes", func(t *testing.T) {
		client := apitest.OpenSession(t, server, "v5.channel.k8s.io", "stdin=true&stdout=true&command=cat")
		const megabytes = 16
		go func() {
			for range megabytes {
				_ = client.Write(context.Background(), websocket.MessageBinary, make([]byte, 1<<20))
			}
			_ = client.Write(context.Background(), websocket.MessageBinary, []byte{255, 0})
		}()
		got, code := client.ReadToEnd()
		assert.Len(t, got[1], megabytes*(1<<20-1))
		assert.Equal(t, websocket.StatusNormalClosure, code)
	})
}

func TestSessionResize(t *testing.T) {
	server := apitest.Serve(t, apitest.NewThingStreams(t, rest.Options{},
		apitest.ThingExec{Name: "exec", Session: apitest.Shell}).API).URL
	client := apitest.OpenSession(t, server, "v5.channel.k8s.io", "stdout=true&tty=true&command=sizes")
	client.Next()
	client.Send(4, `{"Width":80,"Height":24}`+"\n")
	_, got := client.Next()
	require.Equal(t, "80x24 tty=true", got)
	client.Send(4, "no size")
	client.Send(4, `{"Width":-1,"Height":24}`)
	client.Send(4, `"`+strings.Repeat("x", 100_000)+`"`)
	client.Send(4, `{"Width":100,"Height":50}`)
	_, got = client.Next()
	require.Equal(t, "100x50 tty=true", got)
}

func TestSessionRefusals(t *testing.T) {
	s := apitest.NewThingStreams(t, rest.Options{}, apitest.ThingExec{
		Name:    "exec",
		Check:   func(_ context.Context, _ *apitest.Thing, o *apitest.ThingExecOptions) error { return checkCommand(o) },
		Session: apitest.Shell,
	})
	server := apitest.Serve(t, s.API)
	for _, c := range []struct {
		name, method, target string
		header               []string
		code                 int
		message              string
	}{
		{"no object", "GET", "/b/exec?stdout=true&command=echo", apitest.UpgradeHeaders(), 404,
			`things.things.example.com "b" not found`},
		{"no upgrade", "GET", "/a/exec?stdout=true&command=echo", nil, 400, "Upgrade request required"},
		{"no upgrade of a POST", "POST", "/a/exec?stdout=true&command=echo", nil, 400, "Upgrade request required"},
		{"SPDY", "POST", "/a/exec?stdout=true&command=echo", []string{"Connection", "Upgrade", "Upgrade", "SPDY/3.1"}, 400,
			"exec is served over WebSocket, not SPDY/3.1: use a newer client"},
		{"other errors come before that", "POST", "/b/exec?command=echo",
			[]string{"Connection", "Upgrade", "Upgrade", "SPDY/3.1"}, 404, `things.things.example.com "b" not found`},
		{"by the host", "GET", "/a/exec?stdout=true", apitest.UpgradeHeaders(), 400, "you must specify a command"},
		{"no stream", "GET", "/a/exec?command=echo", apitest.UpgradeHeaders(), 400,
			"you must specify at least 1 of stdin, stdout, stderr"},
		{"only stderr of a terminal", "GET", "/a/exec?command=echo&tty=true&stderr=true", apitest.UpgradeHeaders(),
			400, "you must specify at least 1 of stdin, stdout, stderr"},
		{"another protocol", "GET", "/a/exec?stdout=true&command=echo",
			apitest.UpgradeHeaders("Sec-WebSocket-Protocol", "v6.channel.k8s.io"), 400,
			"requested protocol(s) are not supported: [v6.channel.k8s.io]; supports [v5.channel.k8s.io v4.channel.k8s.io v4.base64.channel.k8s.io channel.k8s.io base64.channel.k8s.io ]"},
		{"a page of another site", "GET", "/a/exec?stdout=true&command=echo",
			apitest.UpgradeHeaders("Origin", "https://evil.example"), 403,
			`a WebSocket from the origin "https://evil.example" needs a bearer token`},
		{"another verb", "DELETE", "/a/exec?stdout=true&command=echo", nil, 405, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := apitest.ReadAnswer(t, apitest.Open(t.Context(), t, server.Client(), c.method,
				server.URL+apitest.Things+c.target, c.header...))
			var got status.Status
			a.Decode(t, &got)
			assert.Equal(t, c.code, a.Code)
			if c.message != "" {
				assert.Equal(t, c.message, got.Message)
			}
		})
	}
}

func checkCommand(o *apitest.ThingExecOptions) error {
	if len(o.Command) == 0 {
		return status.BadRequest("you must specify a command")
	}
	return nil
}

// A client that breaks the protocol is told so, and the host's function ends.
func TestSessionProtocolIsKept(t *testing.T) {
	server := apitest.Serve(t, apitest.NewThingStreams(t, rest.Options{},
		apitest.ThingExec{Name: "exec", Session: apitest.Shell}).API).URL
	for _, c := range []struct {
		name, protocol string
		message        []byte
		code           websocket.StatusCode
		told           string
	}{
		{"an unknown channel", "v5.channel.k8s.io", []byte{5, 'x'}, websocket.StatusPolicyViolation, "there is no channel 5"},
		{"the close signal before v5", "v4.channel.k8s.io", []byte{255, 0}, websocket.StatusPolicyViolation,
			"there is no channel 255"},
		{"a close signal without a channel", "v5.channel.k8s.io", []byte{255}, websocket.StatusPolicyViolation,
			"a close signal must name one channel"},
		{"no base64", "v4.base64.channel.k8s.io", []byte("0???"), websocket.StatusPolicyViolation,
			"a message of channel 0 is not base64"},
		{"too long a message", "v5.channel.k8s.io", append([]byte{4}, make([]byte, 1<<20)...), websocket.StatusMessageTooBig,
			""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := apitest.OpenSession(t, server, c.protocol, "stdin=true&stdout=true&command=wait")
			client.Next()
			require.NoError(t, client.Write(t.Context(), websocket.MessageBinary, c.message))
			got, code := client.ReadToEnd()
			assert.Equal(t, c.code, code)
			if c.told != "" {
				assert.Equal(t, c.told, apitest.OutcomeOf(t, got[3]).Message)
				assert.Equal(t, status.ReasonBadRequest, apitest.OutcomeOf(t, got[3]).Reason)
			}
		})
	}
	t.Run("messages to an output are dropped", func(t *testing.T) {
		client := apitest.OpenSession(t, server, "v5.channel.k8s.io", "stdin=true&stdout=true&command=cat")
		client.Send(1, "x")
		client.Send(2, "x")
		client.Send(3, "x")
		require.NoError(t, client.Write(t.Context(), websocket.MessageBinary, nil), "and so is an empty message")
		client.Send(0, "y")
		require.NoError(t, client.Write(t.Context(), websocket.MessageBinary, []byte{255, 0}))
		got, _ := client.ReadToEnd()
		assert.Equal(t, "y", got[1])
	})
}

func TestSessionEnds(t *testing.T) {
	var answering apitest.InFlight
	ended := make(chan error, 1)
	waiting := apitest.ThingExec{Name: "exec",
		Session: func(ctx context.Context, _ *apitest.Thing, _ *apitest.ThingExecOptions, s *rest.Session) error {
			_, err := io.Copy(io.Discard, s.Stdin) // ends with the context
			<-ctx.Done()
			ended <- err
			return ctx.Err()
		}}
	const query = "stdin=true&stdout=true&command=x"
	t.Run("with the client's goodbye", func(t *testing.T) {
		s := apitest.NewThingStreams(t, rest.Options{}, waiting)
		client := apitest.OpenSession(t, apitest.Serve(t, answering.Of(s.API)).URL, "v4.channel.k8s.io", query)
		client.Next()
		require.NoError(t, client.Close(websocket.StatusNormalClosure, ""))
		require.NoError(t, apitest.Within(t, "the session", ended), "its input is at its end")
	})
	t.Run("with the client's connection", func(t *testing.T) {
		s := apitest.NewThingStreams(t, rest.Options{}, waiting)
		client := apitest.OpenSession(t, apitest.Serve(t, answering.Of(s.API)).URL, "v4.channel.k8s.io", query)
		client.Next()
		require.NoError(t, client.CloseNow())
		require.Error(t, apitest.Within(t, "the session", ended))
	})
	t.Run("with the API", func(t *testing.T) {
		s := apitest.NewThingStreams(t, rest.Options{}, waiting)
		client := apitest.OpenSession(t, apitest.Serve(t, answering.Of(s.API)).URL, "v5.channel.k8s.io", query)
		client.Next()
		closed := apitest.InBackground(s.API.Close)
		got, code := client.ReadToEnd()
		require.Equal(t, websocket.StatusGoingAway, code)
		require.Equal(t, status.ReasonServiceUnavailable, apitest.OutcomeOf(t, got[3]).Reason)
		require.NoError(t, apitest.Within(t, "Close", closed))
		require.Error(t, <-ended)
	})
	t.Run("with the API, despite the client", func(t *testing.T) {
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
				synctest.Test(t, func(t *testing.T) {
					var answering apitest.InFlight
					s := apitest.NewThingStreams(t, rest.Options{},
						apitest.ThingExec{Name: "exec",
							Session: func(ctx context.Context, _ *apitest.Thing, _ *apitest.ThingExecOptions, s *rest.Session) error {
								return command(ctx, s)
							}})
					server := apitest.ServeOnPipes(t, answering.Of(s.API))
					apitest.OpenSessionBy(t, server.Client, server.URL, "v5.channel.k8s.io", query)
					require.NoError(t, s.API.Close())
					synctest.Wait()
					require.Zero(t, answering.Load(), "nothing is left")
				})
			})
		}
	})
	apitest.Await(t, "nothing is left", func() bool { return answering.Load() == 0 })
}

// A host that does not read makes its client wait, and what is kept for it is bounded.
func TestSessionHoldsItsClientBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, sent := make(chan struct{}), make(chan int, 10_000)
		s := apitest.NewThingStreams(t, rest.Options{},
			apitest.ThingExec{Name: "exec",
				Session: func(_ context.Context, _ *apitest.Thing, _ *apitest.ThingExecOptions, s *rest.Session) error {
					<-read
					n, err := io.Copy(io.Discard, s.Stdin)
					_, _ = fmt.Fprint(s.Stdout, n)
					return err
				}})
		server := apitest.ServeOnPipes(t, s.API)
		client := apitest.OpenSessionBy(t, server.Client, server.URL, "v5.channel.k8s.io", "stdin=true&stdout=true&command=x")
		client.Next()
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
		got, code := client.ReadToEnd()
		require.Equal(t, websocket.StatusNormalClosure, code)
		require.Equal(t, fmt.Sprint(messages*(1<<20-1)), got[1])
	})
}
