package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// RoundTripper returns a transport that calls the handler in process: no socket, no port, no TLS. Answers stream, so
// watches work. Give it to client-go as rest.Config.Transport, or to an http.Client; scheme and host of the URL may be
// anything. The handler's goroutine ends when it returns, which it does when the answer's body is closed or the
// request's context ends.
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
	reader, writer := io.Pipe()
	w := &pipeWriter{header: http.Header{}, pipe: writer, began: make(chan struct{})}
	go func() {
		defer in.Body.Close()
		err := serve(t.handler, w, in)
		w.WriteHeader(http.StatusOK)
		_ = writer.CloseWithError(err)
	}()
	body := &pipeBody{PipeReader: reader, cancel: cancel}
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
	context.AfterFunc(ctx, func() { _ = reader.CloseWithError(ctx.Err()) })
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
	pipe   *io.PipeWriter
	header http.Header
	begin  sync.Once
	began  chan struct{}
	code   int
	sent   http.Header // as it was when the answer began
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
	return w.pipe.Write(p)
}

func (w *pipeWriter) Flush() { w.WriteHeader(http.StatusOK) }

// SetReadDeadline and SetWriteDeadline are for [http.ResponseController]. A pipe has no deadline: its reader ends it.
func (w *pipeWriter) SetReadDeadline(time.Time) error  { return nil }
func (w *pipeWriter) SetWriteDeadline(time.Time) error { return nil }

// pipeBody ends the request when it is closed.
type pipeBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b *pipeBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}
