package inprocess

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// pipeWriter is the ResponseWriter of a request in process. The client sees every Write at once, so Flush only has to
// begin the answer.
type pipeWriter struct {
	pipe   net.Conn
	header http.Header
	isHead bool
	begin  sync.Once
	began  chan struct{}
	code   int
	sent   http.Header // the header when the answer began
	err    error       // why the answer is incomplete; read after the pipe is closed
}

func (w *pipeWriter) Header() http.Header { return w.header }

// WriteHeader begins the response. It drops informational codes, such as 103 Early Hints, because http.Client hides
// them too.
func (w *pipeWriter) WriteHeader(code int) {
	if code < http.StatusOK && code != http.StatusSwitchingProtocols {
		return
	}
	w.begin.Do(func() {
		w.code, w.sent = code, w.header.Clone()
		close(w.began)
	})
}

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.isHead { // as net/http does
		return len(p), nil
	}
	n, err := w.pipe.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

func (w *pipeWriter) Flush() { w.WriteHeader(http.StatusOK) }

// SetReadDeadline implements a method that [http.ResponseController] looks for. It does nothing, because the body of
// the request is the caller's own reader.
func (w *pipeWriter) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements a method that [http.ResponseController] looks for.
func (w *pipeWriter) SetWriteDeadline(t time.Time) error { return w.pipe.SetWriteDeadline(t) }

// Hurry limits the time in which the client must read the rest of an answer of a [Transport]. It does nothing for
// answers that a server sends. Middleware may have wrapped w.
func Hurry(w http.ResponseWriter, within time.Duration) {
	for {
		switch t := w.(type) {
		case *pipeWriter:
			_ = t.SetWriteDeadline(time.Now().Add(within))
			return
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return
		}
	}
}

// end closes the pipe after the handler has returned.
func (w *pipeWriter) end(err error) {
	w.WriteHeader(http.StatusOK)
	if err != nil {
		w.err = err
	}
	_ = w.pipe.Close()
}

// pipeBody is the body of the answer. Closing it ends the context of the request, so that the handler returns.
type pipeBody struct {
	ctx    context.Context
	cancel context.CancelFunc
	pipe   net.Conn
	from   *pipeWriter
}

func (b *pipeBody) Read(p []byte) (int, error) {
	n, err := b.pipe.Read(p)
	switch {
	case err != nil && b.ctx.Err() != nil: // the handler may have returned for this reason, so even an io.EOF may be half an answer
		return n, b.ctx.Err()
	case err == io.EOF && b.from.err != nil:
		return n, b.from.err
	}
	return n, err
}

func (b *pipeBody) Close() error {
	b.cancel()
	return b.pipe.Close()
}
