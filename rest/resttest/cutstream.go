package resttest

import (
	"bytes"
	"context"
	"net/http"
)

// cutStream serves a watch for some events and then ends it as the fault says.
func (s *Server) cutStream(w http.ResponseWriter, r *http.Request, cancel context.CancelFunc, fault *Fault,
	request *Request) {
	cut := &cutWriter{ResponseWriter: w, left: fault.Events, cancel: cancel}
	if fault.fails() {
		cut.last = append(append([]byte(`{"type":"ERROR","object":`), statusJSON(fault.answer(request))...), '}', '\n')
	}
	if fault.Events == 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(cut.last)
		return
	}
	s.handler.ServeHTTP(cut, r)
	if fault.Drop && cut.left == 0 {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// cutWriter passes some events of a stream on, one per line, and drops the rest.
type cutWriter struct {
	http.ResponseWriter
	left    int    // events to pass on
	partial []byte // the beginning of a line
	last    []byte // written after the last event
	cancel  context.CancelFunc
}

// Write passes whole lines on until the last event. It always reports that it has written everything, so that the API
// does not notice the cut.
func (w *cutWriter) Write(p []byte) (int, error) {
	if w.left == 0 {
		return len(p), nil
	}
	data := append(w.partial, p...)
	pass := 0
	for w.left > 0 {
		n := bytes.IndexByte(data[pass:], '\n')
		if n < 0 {
			break
		}
		if !bytes.HasPrefix(data[pass:], []byte(`{"type":"BOOKMARK"`)) {
			w.left--
		}
		pass += n + 1
	}
	out := data[:pass:pass]
	w.partial = bytes.Clone(data[pass:])
	if w.left == 0 {
		out = append(out, w.last...)
		w.cancel() // the API can stop
	}
	if _, err := w.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap lets [http.ResponseController] find the wrapped writer.
func (w *cutWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
