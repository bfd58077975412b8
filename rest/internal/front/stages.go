package front

import (
	"net/http"
	"runtime/debug"

	"github.com/decorum-go/decorum/rest/internal/resource"
)

// values is a set of parts of a request. A test compares the parts that a stage declares to read and to set with its
// code.
type values int

const (
	received   values = 1 << iota // r, as the stages before have left it
	writer                        // w, and the header of the answer
	found                         // serving, res, at, through and chooser
	auditID                       // the name of the request
	watched                       // observed
	admitted                      // entered and admitted
	sender                        // identity, sender, needs and secret
	parameters                    // query
	seats                         // the place of the request among the flights
	granted                       // only, since and resume
	chosen                        // handle
	failure                       // refused
	over                          // done
	none       values = 0

	everything = received | writer | found | auditID | watched | admitted | sender | parameters | seats | granted | chosen |
		failure | over
)

// stage is one stage of a request. The docs show name and about. The method of a stage has the name of the stage.
type stage struct {
	name, about string
	// refused is set if a refused request passes through this stage, too.
	refused     bool
	reads, sets values
	do          func(*request) error
}

// newStages returns the order of every request. A new check is a new row.
func newStages() []stage {
	return []stage{
		// asked.go
		{"find", "The path is looked up among the resources that the API serves now. It leads to a handler's chooser, and perhaps to a " +
			"resource and one of its subresources.",
			false, received, found, (*request).find},
		// answer.go
		{"set header", "The answer gets the header Audit-ID, and tells the client not to guess its media type.",
			false, received | writer, writer | auditID, (*request).setHeader},
		// drain.go
		{"drain", "While the API drains, the answer asks the client to send its next request over another connection.",
			false, writer, writer, (*request).drain},
		// observed.go
		{"begin observing", "If the API has observers, it counts the bytes of the answer from here on.",
			false, received | writer, writer | watched, (*request).beginObserving},
		// pages.go
		{"check host", "The request must name a host in Options.AllowedHosts.",
			false, received, none, (*request).checkHost},
		{"share", "A page of an allowed origin may read the answer. A preflight request ends here.",
			false, received | writer, writer | over, (*request).share},
		// request.go
		{"enter", "From here on, the API and the resource do not end before the request does. If another resource has taken the place of " +
			"this one, the path is looked up again. Only a health check passes while the API ends.",
			false, received | writer | found, writer | found | admitted | seats, (*request).enter},
		// pages.go
		{"check page", "A page of another site may change something only with a bearer token.",
			false, received, received, (*request).checkPage},
		// guard.go
		{"identify", "The Authenticator finds out the sender. If the sender acts as another user, the Authorizer must allow that.",
			false, received | writer | found | auditID, received | writer | sender | granted, (*request).identify},
		// asked.go
		{"read query", "The parameters of the URL are parsed.",
			false, received, parameters, (*request).readQuery},
		// limiter.go
		{"take place", "The request gets a place among those of its user, and its seats if there is a Limiter.",
			false, received | writer | found | admitted | sender | parameters, seats, (*request).takePlace},
		// guard.go
		{"authorize", "The Authorizer decides whether the user may send the request, and for which objects.",
			false, received | found | watched | sender, watched | granted, (*request).authorize},
		// routes.go
		{"choose", "The method and the parameters choose a handler.",
			false, received | found | parameters, chosen, (*request).choose},
		// observed.go
		{"observe", "Observers learn of the request. Their contexts become that of the request.",
			true, received | found | auditID | watched | admitted | sender | parameters | failure, received | watched,
			(*request).observe},
		// request.go
		{"act", "The handler acts and answers.",
			false, everything, everything, (*request).act},
		// answer.go
		{"refuse", "The error of a stage, or of the handler, becomes a Status.",
			true, everything, writer | watched, (*request).refuse},
	}
}

// pass takes the request through the stages. The first error refuses the request.
func (q *request) pass() {
	defer q.end()
	for i := range q.api.stages {
		s := &q.api.stages[i]
		if q.refused != nil && !s.refused {
			continue
		}
		if err := s.do(q); q.refused == nil {
			q.refused = err
		}
		if q.done {
			return
		}
	}
}

// end ends the request. It turns a panic into a 500, so that one request cannot end the host's process, and passes on
// [http.ErrAbortHandler], with which a handler breaks its answer off. If a hook holds the request, its heir answers.
func (q *request) end() {
	if q.observed != nil {
		defer q.endObserving()
	}
	if q.entered {
		defer q.leave()
	}
	if !q.admitted {
		return
	}
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		if q.observed != nil {
			q.observed.end.Aborted = true
		}
		panic(p)
	}
	q.answering().fail(&resource.PanicError{Where: "a request", Value: p, Stack: debug.Stack()})
}
