package resttest

import (
	"net/http"
	"slices"
	"sync"

	"github.com/decorum-go/decorum/rest/access"
)

// maxRequests is how many requests the log keeps: enough for every test that inspects them, and a bound for long tests.
const maxRequests = 10_000

// requestLog keeps the newest requests in the order of their arrival.
type requestLog struct {
	mu      sync.Mutex
	entries []*Request
}

func (l *requestLog) add(r Request) *Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.entries) >= 2*maxRequests {
		l.entries = slices.Clone(l.entries[maxRequests:])
	}
	l.entries = append(l.entries, &r)
	return &r
}

// change changes an entry while it holds the lock, because others may be reading it.
func (l *requestLog) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// Requests returns the requests over HTTP and the calls under [Server.UnderTest], oldest first: all of them, or those
// with one of the verbs. It keeps at least the newest 10,000. The caller must not change the bodies.
func (s *Server) Requests(verbs ...access.Verb) []Request {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	var out []Request
	for _, r := range s.log.entries {
		if len(verbs) == 0 || slices.Contains(verbs, r.Verb) {
			out = append(out, *r)
		}
	}
	return out
}

// ForgetRequests clears the log, so that [Server.Requests] returns only later requests.
func (s *Server) ForgetRequests() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.log.entries = nil
}

// recordedWriter records the code of the answer before the client can see it.
type recordedWriter struct {
	http.ResponseWriter
	log   *requestLog
	entry *Request
}

func (w *recordedWriter) WriteHeader(code int) {
	w.note(code)
	w.ResponseWriter.WriteHeader(code)
}

func (w *recordedWriter) Write(p []byte) (int, error) {
	w.note(http.StatusOK)
	return w.ResponseWriter.Write(p)
}

func (w *recordedWriter) note(code int) {
	w.log.change(func() {
		if w.entry.Code == 0 {
			w.entry.Code = code
		}
	})
}

// Unwrap lets [http.ResponseController] find the wrapped writer.
func (w *recordedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
