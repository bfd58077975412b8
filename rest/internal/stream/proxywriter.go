package stream

import (
	"bufio"
	"net"
	"net/http"
)

// proxyWriter records whether the host has begun to answer, because a Status can be sent only before that.
type proxyWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

// Unwrap leads a ResponseController to the writer below.
func (w *proxyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *proxyWriter) WriteHeader(code int) {
	w.begun = w.begun || code >= http.StatusOK || code == http.StatusSwitchingProtocols
	w.ResponseWriter.WriteHeader(code)
}

func (w *proxyWriter) Write(p []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (w *proxyWriter) Flush() {
	w.begun = true
	_ = w.control.Flush() // the next Write notices a client that is gone
}

// Hijack implements [http.Hijacker].
func (w *proxyWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := w.control.Hijack()
	if err == nil {
		w.begun = true
	}
	return conn, buffered, err
}
