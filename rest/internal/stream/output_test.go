package stream_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestOutput(t *testing.T) {
	s := apitest.NewThingStreams(t, rest.Options{},
		apitest.ThingLog{Name: "log",
			Output: func(_ context.Context, thing *apitest.Thing, o *apitest.LogOptions, out io.Writer) error {
				tail := "all"
				if o.TailLines != nil {
					tail = fmt.Sprint(*o.TailLines)
				}
				_, err := fmt.Fprintf(out, "%s %v %s %s %v %v %v", thing.Name, o.Follow, tail, o.Container, o.Ratio, o.Level,
					o.Lines)
				return err
			}})
	for _, c := range []struct {
		name, query, want string
	}{
		{"no parameters", "", "a false all main 0 [] []"},
		{"of each type", "?follow=true&tailLines=0&container=side&ratio=0.5&level=info&level=warn&lines=1,2&lines=3",
			"a true 0 side 0.5 [info warn] [1 2 3]"},
		{"a flag alone", "?follow", "a true all main 0 [] []"},
		{"false", "?follow=False", "a false all main 0 [] []"},
		{"of a repeated one the first counts", "?container=x&container=y", "a false all x 0 [] []"},
		{"unknown ones are not ours", "?pretty=true&kind=x", "a false all main 0 [] []"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.Do("GET", apitest.Things+"/a/log"+c.query, "")
			assert.Equal(t, 200, w.Code)
			assert.Equal(t, c.want, w.Body)
			assert.Equal(t, "text/plain", w.Header.Get("Content-Type"))
			assert.Equal(t, "no-cache, private", w.Header.Get("Cache-Control"))
			assert.True(t, w.Flushed)
		})
	}
	for _, c := range []struct {
		name, method, target string
		code                 int
		message              string
	}{
		{"no object", "GET", "/b/log", 404, `things.things.example.com "b" not found`},
		{"no number", "GET", "/a/log?tailLines=x", 400,
			`the parameter "tailLines": strconv.ParseInt: parsing "x": invalid syntax`},
		{"out of bounds", "GET", "/a/log?tailLines=-1", 400,
			"tailLines: Invalid value: -1: tailLines in body should be greater than or equal to 0"},
		{"too large for its type", "GET", "/a/log?lines=3000000000", 400, ""},
		{"infinite", "GET", "/a/log?ratio=inf", 400, `the parameter "ratio": "inf" is not a number`},
		{"another verb", "POST", "/a/log", 405, ""},
		{"HEAD", "HEAD", "/a/log", 405, ""},
		{"nothing is below", "GET", "/a/log/x", 404, `things.things.example.com "a" not found`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.Do(c.method, apitest.Things+c.target, "")
			got := apitest.StatusOf(t, w)
			assert.Equal(t, c.code, w.Code)
			if c.message != "" {
				assert.Equal(t, c.message, got.Message)
			}
		})
	}
}

func TestOutputFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		stream apitest.ThingLog
		code   int
		logged string
	}{
		{"an error first", apitest.ThingLog{Output: func(context.Context, *apitest.Thing, *apitest.LogOptions,
			io.Writer) error {
			return status.BadRequest("no such container")
		}}, 400, ""},
		{"an error that says nothing to clients",
			apitest.ThingLog{Output: func(context.Context, *apitest.Thing, *apitest.LogOptions, io.Writer) error {
				return errors.New("disk 7 is on fire")
			}}, 500, "disk 7 is on fire"},
		{"a panic", apitest.ThingLog{Output: func(context.Context, *apitest.Thing, *apitest.LogOptions, io.Writer) error {
			panic("boom")
		}}, 500, "boom"},
		{"an exit code is no answer",
			apitest.ThingLog{Output: func(context.Context, *apitest.Thing, *apitest.LogOptions, io.Writer) error {
				return status.NonZeroExit(3)
			}}, 500, ""},
		{"a check", apitest.ThingLog{
			Check: func(_ context.Context, thing *apitest.Thing, o *apitest.LogOptions) error {
				return status.BadRequest(thing.Name + " has no " + o.Container)
			},
			Output: func(context.Context, *apitest.Thing, *apitest.LogOptions, io.Writer) error {
				return errors.New("not reached")
			},
		}, 400, ""},
		{"a check that panics", apitest.ThingLog{
			Check:  func(context.Context, *apitest.Thing, *apitest.LogOptions) error { panic("boom") },
			Output: func(context.Context, *apitest.Thing, *apitest.LogOptions, io.Writer) error { return nil },
		}, 500, "boom"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			c.stream.Name = "log"
			s := apitest.NewThingStreams(t, rest.Options{Logger: apitest.LoggerTo(&log)}, c.stream)
			w := s.Do("GET", apitest.Things+"/a/log", "")
			assert.Equal(t, c.code, w.Code, w.Body)
			assert.Contains(t, w.Body, `"kind":"Status"`)
			if c.logged != "" {
				assert.Contains(t, log.String(), c.logged)
				assert.NotContains(t, w.Body, c.logged)
			}
		})
	}
	t.Run("after the beginning the answer is broken off", func(t *testing.T) {
		for _, end := range []func() error{func() error { return errors.New("gone") }, func() error { panic("boom") }} {
			s := apitest.NewThingStreams(t, rest.Options{},
				apitest.ThingLog{Name: "log",
					Output: func(_ context.Context, _ *apitest.Thing, _ *apitest.LogOptions, out io.Writer) error {
						_, _ = io.WriteString(out, "some")
						return end()
					}})
			response, err := http.Get(apitest.Serve(t, s.API).URL + apitest.Things + "/a/log")
			require.NoError(t, err)
			body, err := io.ReadAll(response.Body)
			assert.Equal(t, "some", string(body))
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
			_ = response.Body.Close()
		}
	})
	t.Run("nothing is an empty answer", func(t *testing.T) {
		s := apitest.NewThingStreams(t, rest.Options{}, apitest.ThingLog{Name: "log", ContentType: "application/x-ndjson",
			Output: func(context.Context, *apitest.Thing, *apitest.LogOptions, io.Writer) error { return nil }})
		w := s.Do("GET", apitest.Things+"/a/log", "")
		assert.Equal(t, 200, w.Code)
		assert.Empty(t, w.Body)
		assert.Equal(t, "application/x-ndjson", w.Header.Get("Content-Type"))
	})
}

// Output arrives while the stream continues, past the timeouts of the host's server, and without a place among
// the short requests. A late write of the host must not reach the connection, which may already carry another response.
func TestOutputAfterTheHostHasReturned(t *testing.T) {
	kept := make(chan io.Writer, 1)
	s := apitest.NewThingStreams(t, rest.Options{},
		apitest.ThingLog{Name: "log",
			Output: func(_ context.Context, _ *apitest.Thing, o *apitest.LogOptions, out io.Writer) error {
				kept <- out
				_, err := io.WriteString(out, "line")
				return err
			}})
	server := apitest.Serve(t, s.API)
	for _, headers := range [][]string{nil, {"Connection", "close"}} {
		response := apitest.Open(t.Context(), t, server.Client(), "GET", server.URL+apitest.Things+"/a/log", headers...)
		require.Equal(t, "line", apitest.ReadAnswer(t, response).Body)
		n, err := io.WriteString(<-kept, "late")
		require.ErrorContains(t, err, "has ended")
		require.Zero(t, n)
	}
}

func TestOutputIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines, ended := make(chan string), make(chan error, 1)
		s := apitest.NewThingStreams(t, rest.Options{Limits: rest.Limits{MaxInFlight: 1}}, apitest.FollowedLog(lines, ended))
		server := apitest.ServeOnPipes(t, s.API,
			func(config *http.Server) { config.ReadTimeout, config.WriteTimeout = time.Second, time.Second })
		ctx, leave := context.WithCancel(t.Context())
		response := apitest.Open(ctx, t, server.Client, "GET", server.URL+apitest.Things+"/a/log?follow=true")
		require.Equal(t, 200, response.StatusCode, "the answer begins before there is a line")
		reader := bufio.NewReader(response.Body)
		for _, line := range []string{"one", "two"} {
			apitest.LetPass(time.Minute)
			lines <- line
			got, err := reader.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, line+"\n", got)
		}
		require.Equal(t, 200, s.Do("GET", apitest.Things+"/a", "").Code, "there is still place for a short request")
		leave()
		require.ErrorIs(t, apitest.Within(t, "the stream without a client", ended), context.Canceled)
	})
}

func TestOutputEndsWithTheAPI(t *testing.T) {
	ended := make(chan error, 1)
	s := apitest.NewThingStreams(t, rest.Options{}, apitest.FollowedLog(nil, ended))
	server := apitest.Serve(t, s.API)
	response, err := http.Get(server.URL + apitest.Things + "/a/log")
	require.NoError(t, err)
	closed := apitest.InBackground(s.API.Close)
	_, err = io.ReadAll(response.Body)
	require.NoError(t, err, "in order, as a watch does")
	require.NoError(t, apitest.Within(t, "Close", closed))
	require.Equal(t, status.ReasonServiceUnavailable, status.ReasonOf(<-ended))
}

// A client that does not read makes the host wait, and neither keeps the API from ending.
func TestOutputWaitsForItsClient(t *testing.T) {
	written, ended := make(chan int, 10_000), make(chan error, 2)
	s := apitest.NewThingStreams(t, rest.Options{},
		apitest.ThingLog{Name: "log",
			Output: func(_ context.Context, _ *apitest.Thing, _ *apitest.LogOptions, out io.Writer) error {
				for i := 0; ; i++ {
					if _, err := out.Write(make([]byte, 1<<20)); err != nil {
						ended <- err
						return err
					}
					written <- i
				}
			}})
	server := apitest.Serve(t, s.API)
	for _, open := range []func(){
		func() {
			response, err := http.Get(server.URL + apitest.Things + "/a/log")
			require.NoError(t, err)
			t.Cleanup(func() { _ = response.Body.Close() })
		},
		func() { apitest.DialWebSocket(t, server.URL+apitest.Things+"/a/log", nil) },
	} {
		open()
		<-written
	}
	require.NoError(t, apitest.Within(t, "Close", apitest.InBackground(s.API.Close)))
	require.Error(t, <-ended)
	require.Error(t, <-ended)
	require.Less(t, len(written), 1000, "a thousand megabytes are in no buffer")
}

func TestOutputOverWebSocket(t *testing.T) {
	s := apitest.NewThingStreams(t, rest.Options{},
		apitest.ThingLog{Name: "log",
			Output: func(_ context.Context, _ *apitest.Thing, o *apitest.LogOptions, out io.Writer) error {
				if o.Container == "none" {
					return status.BadRequest("there is no container none")
				}
				_, _ = io.WriteString(out, "one\n")
				_, err := io.WriteString(out, "two\n")
				return err
			}})
	server := apitest.Serve(t, s.API)
	for _, c := range []struct {
		protocol string
		text     bool
	}{{"", false}, {"binary.k8s.io", false}, {"base64.binary.k8s.io", true}} {
		t.Run(c.protocol, func(t *testing.T) {
			var offered []string
			if c.protocol != "" {
				offered = []string{"unknown", c.protocol}
			}
			conn := apitest.DialWebSocket(t, server.URL+apitest.Things+"/a/log", &websocket.DialOptions{Subprotocols: offered})
			assert.Equal(t, c.protocol, conn.Subprotocol())
			for _, want := range []string{"", "one\n", "two\n"} {
				kind, got := apitest.ReadMessage(t, conn)
				if c.text {
					assert.Equal(t, websocket.MessageText, kind)
					want = base64.StdEncoding.EncodeToString([]byte(want))
				} else {
					assert.Equal(t, websocket.MessageBinary, kind)
				}
				assert.Equal(t, want, string(got))
			}
			_, _, err := conn.Read(t.Context())
			assert.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err))
		})
	}
	t.Run("refusals are plain answers", func(t *testing.T) {
		for _, c := range []struct {
			name, query string
			protocols   []string
			message     string
		}{
			{"of the host", "?container=none", nil, "there is no container none"},
			{"of the protocol", "", []string{"v4.channel.k8s.io"}, "requested protocol(s) are not supported"},
		} {
			t.Run(c.name, func(t *testing.T) {
				_, response, err := websocket.Dial(t.Context(), server.URL+apitest.Things+"/a/log"+c.query,
					&websocket.DialOptions{Subprotocols: c.protocols})
				require.Error(t, err)
				body, _ := io.ReadAll(response.Body)
				assert.Equal(t, 400, response.StatusCode)
				assert.Contains(t, string(body), c.message)
			})
		}
	})
}

func TestOutputOverWebSocketEndsWithItsClient(t *testing.T) {
	lines, ended := make(chan string), make(chan error, 1)
	s := apitest.NewThingStreams(t, rest.Options{}, apitest.FollowedLog(lines, ended))
	conn := apitest.DialWebSocket(t, apitest.Serve(t, s.API).URL+apitest.Things+"/a/log", nil)
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(strings.Repeat("ignored", 100))))
	lines <- "x"
	_, first := apitest.ReadMessage(t, conn)
	_, second := apitest.ReadMessage(t, conn)
	require.Equal(t, "x\n", string(first)+string(second))
	require.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
	require.Error(t, apitest.Within(t, "the stream without a client", ended))
}

func TestStreamsReadOtherObjects(t *testing.T) {
	other := func(ctx context.Context) error {
		things, err := rest.ClientForHook[apitest.Thing](ctx)
		if err != nil {
			return err
		}
		_, err = things.Namespace("default").Get(ctx, "a")
		return err
	}
	s := apitest.NewThingStreams(t, rest.Options{}, apitest.ThingLog{Name: "log",
		Check: func(ctx context.Context, _ *apitest.Thing, _ *apitest.LogOptions) error { return other(ctx) },
		Output: func(ctx context.Context, _ *apitest.Thing, _ *apitest.LogOptions, _ io.Writer) error {
			return other(ctx)
		}})
	w := s.Do("GET", apitest.Things+"/a/log", "")
	assert.Equal(t, 200, w.Code, w.Body)
}
