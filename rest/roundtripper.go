package rest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// RoundTripper returns a transport that calls the handler in process, without a socket, a port or TLS. Give it to client-go as
// rest.Config.Transport, or to an http.Client; the scheme and the host of the URL do not matter. Answers stream, so watches work.
//
// The handler runs in a goroutine of its own. It is expected to return when the client closes the body of the answer, when the
// context of the request ends, or when [API.Close] is called.
func RoundTripper(h http.Handler) http.RoundTripper { return roundTripper{h} }

type roundTripper struct{ handler http.Handler }

// RoundTrip returns as soon as the answer begins, while the handler may still write its body.
func (t roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	in := r.Clone(ctx)
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "in-process"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	reader, writer := net.Pipe() // unlike an io.Pipe, it has the deadlines that streams need
	w := &pipeWriter{header: http.Header{}, pipe: writer, began: make(chan struct{}), isHead: r.Method == http.MethodHead}
	go func() {
		defer in.Body.Close()
		err := errAborted // remains if the handler calls runtime.Goexit, for example in a failed assertion of a hook
		defer func() { w.end(err) }()
		err = serve(t.handler, w, in)
	}()
	body := &pipeBody{ctx: ctx, cancel: cancel, pipe: reader, from: w}
	select {
	case <-w.began:
	case <-r.Context().Done():
		_ = body.Close()
		return nil, r.Context().Err()
	}
	out := &http.Response{
		Status: strconv.Itoa(w.code) + " " + http.StatusText(w.code), StatusCode: w.code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: body, ContentLength: -1, Request: r,
	}
	if n, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64); err == nil {
		out.ContentLength = n
	}
	context.AfterFunc(ctx, func() { _ = reader.Close() })
	return out, nil
}

// serve runs a handler. If the handler panics, serve returns an error, and the client sees a broken answer as from a server that
// closes the connection.
func serve(h http.Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errAborted
		}
	}()
	h.ServeHTTP(w, r)
	return nil
}

var errAborted = errors.New("the handler broke off the answer")

// pipeWriter is the ResponseWriter of a request in process. The client sees every Write at once, so Flush only has to begin the
// answer.
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

// WriteHeader begins the response. It drops informational codes, such as 103 Early Hints, because http.Client hides them too.
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

// SetReadDeadline implements a method that [http.ResponseController] looks for. It does nothing, because the body of the request
// is the caller's own reader.
func (w *pipeWriter) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements a method that [http.ResponseController] looks for.
func (w *pipeWriter) SetWriteDeadline(t time.Time) error { return w.pipe.SetWriteDeadline(t) }

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
	case err == io.EOF && b.from.err != nil:
		return n, b.from.err
	case err != nil && err != io.EOF && b.ctx.Err() != nil:
		return n, b.ctx.Err()
	}
	return n, err
}

func (b *pipeBody) Close() error {
	b.cancel()
	return b.pipe.Close()
}
