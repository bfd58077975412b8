package resttest

import (
	"bytes"
	"context"
	"net/http"
)

// cutStream lets a watch live for some events and then ends it in the way of the fault.
func (s *Server) cutStream(w http.ResponseWriter, r *http.Request, cancel context.CancelFunc, fault *Fault, request *Request) {
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

// cutWriter lets some events of a stream through, which stand one in a line, and swallows what comes after.
type cutWriter struct {
	http.ResponseWriter
	left    int    // events
	partial []byte // the beginning of a line
	last    []byte // what comes instead of further events
	cancel  context.CancelFunc
}

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
		w.cancel() // the API need not go on
	}
	if _, err := w.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap is how [http.ResponseController] finds what is below.
func (w *cutWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
