package inprocess

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
)

// Transport returns a transport whose requests h answers in process.
func Transport(h http.Handler) http.RoundTripper { return transport{h} }

type transport struct{ handler http.Handler }

// RoundTrip returns as soon as the answer begins, while the handler may still write its body.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
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
	}
	if err := r.Context().Err(); err != nil { // an answer may have begun, too: that of a handler that has returned for this reason
		_ = body.Close()
		return nil, err
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

// serve runs a handler. If the handler panics, serve returns an error, and the client sees a broken answer as from a
// server that closes the connection.
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
