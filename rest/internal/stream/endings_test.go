package stream_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/internal/stream"
)

type (
	size     struct{ Width, Height uint16 }
	terminal = stream.Terminal[size]
)

// session serves a session that ends when run returns.
func session(run func(context.Context, *terminal) error) func(context.Context, *stream.Call) error {
	return func(ctx context.Context, call *stream.Call) error {
		return stream.Session(ctx, call, stream.Wanted{Stdin: true, Stdout: true}, run)
	}
}

// output serves the output of run.
func output(run func(context.Context, io.Writer) error) func(context.Context, *stream.Call) error {
	return func(ctx context.Context, call *stream.Call) error { return stream.Output(ctx, call, nil, run) }
}

// forward serves a connection to one port.
func forward(run func(context.Context, uint16, io.ReadWriter) error) func(context.Context, *stream.Call) error {
	return func(ctx context.Context, call *stream.Call) error {
		return stream.Forward(ctx, call, []string{"80"}, run)
	}
}

func writeForever(out io.Writer) error {
	for {
		if _, err := out.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
	}
}

// However a stream ends, its client learns why, and the server keeps nothing of it.
func TestEndings(t *testing.T) {
	sessionUntilEnd := session(func(ctx context.Context, _ *terminal) error { <-ctx.Done(); return nil })
	outputUntilEnd := output(func(ctx context.Context, out io.Writer) error {
		_, _ = out.Write(nil)
		<-ctx.Done()
		return nil
	})
	forwardUntilEnd := forward(func(ctx context.Context, _ uint16, _ io.ReadWriter) error { <-ctx.Done(); return nil })
	const v5, v4, binary = "v5.channel.k8s.io", "v4.channel.k8s.io", "binary.k8s.io"

	leave := func(_ *host, conn *websocket.Conn) { _ = conn.Close(websocket.StatusNormalClosure, "") }
	vanish := func(_ *host, conn *websocket.Conn) { _ = conn.CloseNow() }
	shutDown := func(h *host, _ *websocket.Conn) { h.shutDown() }
	nothing := func(*host, *websocket.Conn) {}
	for _, c := range []struct {
		name     string
		protocol string
		serve    func(context.Context, *stream.Call) error
		happens  func(*host, *websocket.Conn)
		reads    bool                 // the client does
		code     websocket.StatusCode // the code that the client reads; -1 if the connection is cut
		after    time.Duration
	}{
		{"a session returns", v5, session(func(context.Context, *terminal) error { return nil }), nothing, true,
			websocket.StatusNormalClosure, 0},
		{"output returns", binary, output(func(context.Context, io.Writer) error { return nil }), nothing, true,
			websocket.StatusNormalClosure, 0},
		{"a forward returns", v4, forward(func(context.Context, uint16, io.ReadWriter) error { return nil }), nothing, true,
			websocket.StatusNormalClosure, 0},
		{"the client of a session leaves", v5, sessionUntilEnd, leave, false, 0, 0},
		{"the client of output leaves", binary, outputUntilEnd, leave, false, 0, 0},
		{"the client of a forward leaves", v4, forwardUntilEnd, leave, false, 0, 0},
		{"the client of a session vanishes", v5, sessionUntilEnd, vanish, false, 0, 0},
		{"the client of output vanishes", binary, outputUntilEnd, vanish, false, 0, 0},
		{"the API ends a session", v5, sessionUntilEnd, shutDown, true, websocket.StatusGoingAway, 0},
		{"the API ends output", binary, outputUntilEnd, shutDown, true, websocket.StatusNormalClosure, 0},
		{"the API ends a forward", v4, forwardUntilEnd, shutDown, true, websocket.StatusGoingAway, 0},
		{"the API ends a session that is not read", v5,
			session(func(_ context.Context, t *terminal) error { return writeForever(t.Stdout) }), shutDown, false, 0,
			limits.End},
		{"the API ends output that is not read", binary,
			output(func(_ context.Context, out io.Writer) error { return writeForever(out) }), shutDown, false, 0, limits.End},
		{"a session is forgotten", v5, sessionUntilEnd, nothing, true, -1, limits.Idle},
		{"output is forgotten", binary, outputUntilEnd, nothing, true, -1, limits.Idle},
		{"the client violates the protocol", v5, sessionUntilEnd, func(_ *host, conn *websocket.Conn) {
			_ = conn.Write(context.Background(), websocket.MessageBinary, []byte{9})
		}, true, websocket.StatusPolicyViolation, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, c.serve)
				conn := h.dial(t, c.protocol)
				synctest.Wait()
				began := time.Now()
				code := make(chan websocket.StatusCode, 1)
				if c.reads {
					go func() { code <- untilClosed(conn) }()
				}
				c.happens(h, conn)
				<-h.served
				synctest.Wait()
				require.NoError(t, h.err)
				assert.Equal(t, c.after, time.Since(began))
				if c.reads {
					assert.Equal(t, c.code, <-code)
				}
				assert.Empty(t, apitest.Goroutines(t, "rest/internal/stream"))
				assert.Zero(t, h.hurried())
			})
		})
	}
}

// A client that disconnects does not cause an error in the log.
func TestAClientThatLeavesIsNoFailure(t *testing.T) {
	until := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, serve := range map[string]func(context.Context, *stream.Call) error{
		"v5.channel.k8s.io": session(func(ctx context.Context, _ *terminal) error { return until(ctx) }),
		"binary.k8s.io": output(func(ctx context.Context, out io.Writer) error {
			_, _ = out.Write(nil)
			return until(ctx)
		}),
		"v4.channel.k8s.io": forward(func(ctx context.Context, _ uint16, _ io.ReadWriter) error { return until(ctx) }),
	} {
		for _, orderly := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", orderly ", orderly), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := newHost(t, serve)
					conn := h.dial(t, name)
					synctest.Wait()
					if orderly {
						_ = conn.Close(websocket.StatusNormalClosure, "")
					} else {
						_ = conn.CloseNow()
					}
					<-h.served
					assert.NoError(t, h.err)
					assert.Zero(t, h.failures.Load())
				})
			})
		}
	}
}

// untilClosed reads from a connection until it is closed, and returns the code.
func untilClosed(conn *websocket.Conn) websocket.StatusCode {
	for {
		if _, _, err := conn.Read(context.Background()); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}
