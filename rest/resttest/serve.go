package resttest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// serve handles a request over HTTP: it records the request, and then the request meets a
// fault or the API.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, errEnded.Error(), http.StatusServiceUnavailable)
		return
	}
	defer s.underWay.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	r = r.WithContext(ctx)

	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil { // the client has disconnected: the API must see the same
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failingReader{err}))
	}
	request := readRequest(r, strings.TrimPrefix(r.URL.EscapedPath(), s.prefix), body)
	fault := s.faults.meet(&request, true)
	request.Fault = fault != nil
	entry := s.log.add(request)
	w = &recordedWriter{ResponseWriter: w, log: &s.log, entry: entry}
	if fault == nil {
		s.handler.ServeHTTP(w, r)
		return
	}
	if !pause(ctx, fault.Delay) {
		breakOff(r)
	}
	if request.Verb == access.VerbWatch && fault.isStream() {
		s.cutStream(w, r, cancel, fault, &request)
		return
	}
	if fault.Late {
		s.handler.ServeHTTP(nowhere{http.Header{}}, r)
	}
	switch {
	case fault.Drop:
		breakOff(r)
	case fault.fails():
		writeStatus(w, fault.answer(&request))
	default:
		s.handler.ServeHTTP(w, r)
	}
}

// failingReader stands for the rest of a body that did not arrive.
type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// pause waits for d, and reports whether the context is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// breakOff closes the connection without an answer.
func breakOff(r *http.Request) {
	if broken, ok := r.Context().Value(brokenKey{}).(*bool); ok {
		*broken = true
	}
	panic(http.ErrAbortHandler)
}

// writeStatus answers with a failure as the API does.
func writeStatus(w http.ResponseWriter, e *status.Error) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-cache, private")
	if d := e.Status.Details; d != nil && d.RetryAfterSeconds > 0 {
		h.Set("Retry-After", strconv.Itoa(int(d.RetryAfterSeconds)))
	}
	w.WriteHeader(status.CodeOf(e))
	_, _ = w.Write(statusJSON(e))
}

func statusJSON(e *status.Error) []byte {
	body, err := json.Marshal(&e.Status)
	if err != nil {
		return []byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":500}`)
	}
	return body
}

// nowhere discards an answer that must not reach its client.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}
func (n nowhere) Flush()                      {}
