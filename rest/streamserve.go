package rest

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// streamServe hands the request to the host, as one for the path below the subresource.
func (q *request) streamServe(ctx context.Context, bound boundStream) error {
	below := q.belowSubresource()
	if below == "" && (q.r.Method == http.MethodGet || q.r.Method == http.MethodHead) {
		return q.addSlash() // so that the links of a page lead below it
	}
	if below == "" {
		below = "/"
	}
	path, err := url.PathUnescape(below)
	if err != nil {
		return err
	}
	r := q.r.Clone(ctx)
	r.URL.Path, r.URL.RawPath = path, ""
	if r.URL.EscapedPath() != below {
		r.URL.RawPath = below
	}
	control := http.NewResponseController(q.w)
	_ = control.SetReadDeadline(time.Time{}) // a writer without deadlines has none to lift
	_ = control.SetWriteDeadline(time.Time{})
	w := &servedWriter{ResponseWriter: q.w, control: control}
	var h hurried
	q.api.atEnd.add(&h, func() { _ = control.SetWriteDeadline(time.Now().Add(stuckAtEnd)) })
	err = bound.serve(w, r)
	h.stop()
	q.wrote = w.began
	return err
}

// belowSubresource is what follows the subresource in the path, still escaped: "" or something that begins with a slash.
func (q *request) belowSubresource() string {
	segments := strings.Count(gvPath(q.res.gvk.GroupVersion())+"/plural/name/subresource", "/")
	if q.res.namespaced {
		segments += 2
	}
	path := q.r.URL.EscapedPath()
	for ; segments > 0; segments-- {
		next := strings.IndexByte(path[1:], '/')
		if next < 0 {
			return ""
		}
		path = path[1+next:]
	}
	return path
}

// addSlash redirects to the same URL with a slash at the end of its path.
func (q *request) addSlash() error {
	path, query, _ := strings.Cut(q.r.RequestURI, "?")
	if query != "" {
		query = "?" + query
	}
	q.w.Header().Set("Location", path+"/"+query)
	return q.writeRaw(http.StatusMovedPermanently, mediaText, nil)
}

// servedWriter knows whether the host has begun to answer, and so whether a Status can still be sent.
type servedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	began   bool
}

// Unwrap leads a ResponseController to the writer below.
func (w *servedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *servedWriter) WriteHeader(code int) {
	w.began = w.began || code >= http.StatusOK || code == http.StatusSwitchingProtocols
	w.ResponseWriter.WriteHeader(code)
}

func (w *servedWriter) Write(p []byte) (int, error) {
	w.began = true
	return w.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (w *servedWriter) Flush() {
	w.began = true
	_ = w.control.Flush() // a client that is gone is noticed by the next Write
}

// Hijack implements [http.Hijacker].
func (w *servedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := w.control.Hijack()
	if err == nil {
		w.began = true
	}
	return conn, buffered, err
}

// recoverServe is recoverHook for a handler, which may break its answer off by panicking with [http.ErrAbortHandler].
func recoverServe(hook string, err *error) {
	p := recover()
	if p == http.ErrAbortHandler {
		panic(p)
	}
	if p != nil {
		*err = &panicError{where: "the host's hook " + hook, value: p, stack: debug.Stack()}
	}
}
