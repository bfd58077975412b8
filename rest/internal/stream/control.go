package stream

import (
	"errors"
	"net/http"
	"time"

	"github.com/decorum-go/decorum/status"
)

// Control returns the controller of a writer that can carry a stream, and lifts the deadlines that the host's server sets for short
// requests. It refuses a writer that cannot be flushed or has no deadlines of its own: nothing could end the stream of a client that
// does not read.
func Control(w http.ResponseWriter) (*http.ResponseController, error) {
	control := http.NewResponseController(w)
	if !canFlush(w) || errors.Is(control.SetWriteDeadline(time.Time{}), http.ErrNotSupported) {
		return nil, status.InternalError(errors.New("a stream needs a ResponseWriter that can be flushed and has deadlines: a wrapper around it must have a method Unwrap"))
	}
	_ = control.SetReadDeadline(time.Time{}) // a writer without read deadlines has none to lift
	return control, nil
}

// canFlush reports whether a ResponseController will find a way to flush.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}
