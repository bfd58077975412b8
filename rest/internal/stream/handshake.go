package stream

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/status"
)

// handshakeWriter keeps the library's refusal of a handshake, which is plain text, from the client, so that a Status
// can be sent instead.
type handshakeWriter struct {
	http.ResponseWriter
	conn     net.Conn // the connection after the handshake
	switched bool
	code     int
	refusal  bytes.Buffer
}

// Unwrap leads to the writer that can be hijacked.
func (w *handshakeWriter) Unwrap() http.ResponseWriter {
	for below := w.ResponseWriter; ; {
		switch writer := below.(type) {
		case http.Hijacker:
			return &hijackedWriter{ResponseWriter: below, hijacker: writer, handshake: w}
		case interface{ Unwrap() http.ResponseWriter }:
			below = writer.Unwrap()
		default:
			return below
		}
	}
}

// hijackedWriter notes the connection that a handshake takes over.
type hijackedWriter struct {
	http.ResponseWriter
	hijacker  http.Hijacker
	handshake *handshakeWriter
}

// Hijack implements [http.Hijacker].
func (w *hijackedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := w.hijacker.Hijack()
	w.handshake.conn = conn
	return conn, buffered, err
}

func (w *handshakeWriter) WriteHeader(code int) {
	if code == http.StatusSwitchingProtocols {
		w.switched = true
		w.ResponseWriter.WriteHeader(code)
		return
	}
	w.code = code
}

func (w *handshakeWriter) Write(b []byte) (int, error) { return w.refusal.Write(b) }

// failure is the Status that answers a handshake that has failed with err.
func (w *handshakeWriter) failure(err error) error {
	text := strings.TrimSpace(w.refusal.String())
	switch w.code {
	case http.StatusNotImplemented:
		return status.InternalError(errors.New("a WebSocket needs a ResponseWriter that can be hijacked: a wrapper around it must have a method Unwrap"))
	case http.StatusInternalServerError, 0:
		return status.InternalError(err)
	case http.StatusBadRequest:
		return status.BadRequest(text)
	}
	return status.Generic(w.code, text)
}
