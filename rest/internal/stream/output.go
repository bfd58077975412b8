package stream

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Output sends what run writes: in the body that body opens, or as messages if the request asks for a WebSocket. The
// answer begins with the first Write, or when run returns nil without one. An error that follows from a client that has
// left, or from the shutdown of the API, is not returned once the answer has begun.
func Output(ctx context.Context, call *Call, body func() (io.WriteCloser, error),
	run func(context.Context, io.Writer) error) error {
	ctx, gone := context.WithCancelCause(ctx)
	defer gone(nil)
	out := &lateWriter{begin: body}
	if WantsSocket(call.Request) {
		out.begin = func() (io.WriteCloser, error) { return call.openMessages(gone) }
	}
	err := run(ctx, out)
	if err == nil {
		_, err = out.Write(nil) // an answer without bytes has to begin, too
	}
	to := out.end()
	begun := to != nil
	if err != nil && ctx.Err() != nil {
		if err = context.Cause(ctx); begun {
			err = nil
		}
	}
	if begun {
		_ = to.Close() // an error of the close handshake does not matter
	}
	return err
}

// lateWriter begins the response at the first write. Several goroutines of the host may write concurrently, even after
// the host's function has returned. The underlying writer may then already serve another request, so end makes late
// writes fail.
type lateWriter struct {
	begin func() (io.WriteCloser, error)

	mu  sync.Mutex
	to  io.WriteCloser // nil until the response begins
	err error          // the error of further writes
}

var errEnded = errors.New("the stream has ended, because the host's function has returned")

func (l *lateWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil && l.err == nil {
		l.to, l.err = l.begin()
	}
	if l.err != nil {
		return 0, l.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	return l.to.Write(p)
}

// end waits for the current write, and makes later writes fail. It returns the underlying writer, or nil if the
// response has not begun.
func (l *lateWriter) end() io.WriteCloser {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = errEnded
	return l.to
}
