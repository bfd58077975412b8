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

// RoundTripper returns a transport that calls the handler in process: no socket, no port, no TLS. Answers stream, so
// watches work. Give it to client-go as rest.Config.Transport, or to an http.Client; scheme and host of the URL may be
// anything. The handler's goroutine ends when it returns, which it does when the answer's body is closed, the
// request's context ends, or [API.Close] is called.
func RoundTripper(h http.Handler) http.RoundTripper { return roundTripper{h} }

type roundTripper struct{ handler http.Handler }

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
	reader, writer := net.Pipe() // unlike an io.Pipe it has the deadlines that streams need
	w := &pipeWriter{header: http.Header{}, pipe: writer, began: make(chan struct{})}
	go func() {
		defer in.Body.Close()
		w.end(serve(t.handler, w, in))
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

// serve runs a handler and tells how it ended: as a server that closes the connection would show it to the client.
func serve(h http.Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errAborted
		}
	}()
	h.ServeHTTP(w, r)
	return nil
}

var errAborted = errors.New("the handler broke the answer off")

// pipeWriter is the ResponseWriter of a call in process. Every Write is seen at once, so there is nothing to flush.
type pipeWriter struct {
	pipe   net.Conn
	header http.Header
	begin  sync.Once
	began  chan struct{}
	code   int
	sent   http.Header // as it was when the answer began
	err    error       // why the answer is not whole; read when the pipe is closed
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(code int) {
	w.begin.Do(func() {
		w.code, w.sent = code, w.header.Clone()
		close(w.began)
	})
}

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	n, err := w.pipe.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

func (w *pipeWriter) Flush() { w.WriteHeader(http.StatusOK) }

// SetReadDeadline is for [http.ResponseController]. What is read is the caller's own.
func (w *pipeWriter) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is for [http.ResponseController].
func (w *pipeWriter) SetWriteDeadline(t time.Time) error { return w.pipe.SetWriteDeadline(t) }

// end closes the pipe when the handler has returned.
func (w *pipeWriter) end(err error) {
	w.WriteHeader(http.StatusOK)
	if err != nil {
		w.err = err
	}
	_ = w.pipe.Close()
}

// pipeBody ends the request when it is closed.
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
