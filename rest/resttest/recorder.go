package resttest

import (
	"net/http"
	"slices"
	"sync"

	"github.com/decorum-go/decorum/rest"
)

// maxRequests is how many requests are remembered: enough for every test that looks at them, and a bound for those that
// run long.
const maxRequests = 10_000

// requestLog remembers the newest requests in the order in which they came.
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

// change changes an entry that others may be reading.
func (l *requestLog) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// Requests returns what came in over HTTP or under [Server.UnderTest], oldest first: all of it, or what asks for one of
// the verbs. Only the newest 10,000 are sure to be there. The bodies are not to be changed.
func (s *Server) Requests(verbs ...rest.Verb) []Request {
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

// ForgetRequests empties what [Server.Requests] returns: what comes next is what the test is about.
func (s *Server) ForgetRequests() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.log.entries = nil
}

// recordedWriter notes the code of the answer before the client can see it.
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

// Unwrap is how [http.ResponseController] finds what is below.
func (w *recordedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
