package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/rest/internal/delivery"
)

const (
	// closeAfter is how long Close waits for what is under way.
	closeAfter = 4 * time.Second
	// namedUnderWay is how many different requests an error names.
	namedUnderWay = 10
)

// underWay names the requests that are under way, and counts the calls of in-process clients.
func (a *API) underWay() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var names []string
	calls, more := a.inFlight, 0
	for q := a.requests; q != nil; q = q.behind {
		calls--
		if name := q.r.Method + " " + q.r.URL.Path; len(names) < namedUnderWay {
			names = append(names, name)
		} else {
			more++
		}
	}
	slices.Sort(names)
	if more > 0 {
		names = append(names, fmt.Sprintf("other requests: %d", more))
	}
	if calls > 0 {
		names = append(names, fmt.Sprintf("calls in process: %d", calls))
	}
	return strings.Join(names, ", ")
}

// hurryPipes gives clients of RoundTripper little time for the rest of their answers: no server would end these.
func (a *API) hurryPipes() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for q := a.requests; q != nil; q = q.behind {
		if pipe := pipeBelow(q.w); pipe != nil {
			_ = pipe.SetWriteDeadline(time.Now().Add(delivery.StuckAtEnd))
		}
	}
}

// pipeBelow returns the writer of RoundTripper that a writer leads to, or nil.
func pipeBelow(w http.ResponseWriter) *pipeWriter {
	for {
		switch t := w.(type) {
		case *pipeWriter:
			return t
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return nil
		}
	}
}
