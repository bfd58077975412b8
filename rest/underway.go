package rest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/inprocess"
)

const (
	// closeAfter is how long Close waits for requests and calls. It leaves the rest of Close's 5 seconds to the store.
	closeAfter = 4 * time.Second
	// namedUnderWay is how many requests the error of Shutdown names.
	namedUnderWay = 10
)

// underWay names the requests in flight and counts the calls of in-process clients.
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

// hurryPipes limits the time in which clients of RoundTripper must read the rest of their answers. Over a network the host's
// server would close the connections; nobody else closes these.
func (a *API) hurryPipes() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for q := a.requests; q != nil; q = q.behind {
		inprocess.Hurry(q.w, delivery.StuckAtEnd)
	}
}
