package resttest

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// Always is the value of [Fault.Times] with which all matching requests meet the fault.
const Always = -1

// Fault says what goes wrong, for which requests and how often. The first group of fields selects the requests; an
// empty field matches all. The second group says what happens to them.
type Fault struct {
	// Verb is the verb of the request.
	Verb access.Verb
	// Resource is the plural, such as "widgets", or with a subresource "widgets/status".
	Resource string
	// Namespace and Name are those of the object: see [Request.Name].
	Namespace, Name string
	// Skip is how many matching requests pass before the first one meets the fault.
	Skip int
	// Times is how many requests meet the fault. Zero means one, and [Always] means all.
	Times int

	// Delay delays the request. If nothing else is set, the API answers it as usual afterwards.
	Delay time.Duration
	// Code is the HTTP status of a failure, which the server answers in the API's words instead: 409 is AlreadyExists for
	// a create and otherwise Conflict, 410 is Expired, 429 carries Retry-After, and so on for all codes from 400 to 599. A
	// watch gets 410 as an event of the stream, as from the API, and other codes in place of the stream.
	Code int
	// RetryAfter is the Retry-After of the codes 429, 500, 503 and 504, in whole seconds. Default: one second for 429,
	// none for the others.
	RetryAfter time.Duration
	// Error is the failure in every detail. Set it instead of Code.
	Error *status.Error
	// Drop breaks the connection instead of answering. Calls in process have no connection, so they do not meet the fault.
	Drop bool
	// Late carries the request out before it fails. Clients must expect this whenever an answer is lost (API conventions,
	// HTTP Status codes: the outcome of the call is unknown). Watches cannot be late.
	Late bool
	// Events is how many events a watch sends first, not counting bookmarks. Then the stream sends the failure and ends,
	// or breaks off if Drop is set, or ends as if its time were up if neither is set.
	Events int
}

// String describes the requests and what happens to them, for messages.
func (f Fault) String() string {
	part := func(s string) string {
		if s == "" {
			return "*"
		}
		return s
	}
	var what []string
	if f.Delay > 0 {
		what = append(what, f.Delay.String()+" late")
	}
	if f.fails() {
		what = append(what, strconv.Itoa(status.CodeOf(f.answer(&Request{}))))
	}
	if f.Drop {
		what = append(what, "connection broken")
	}
	if len(what) == 0 {
		what = append(what, "end of stream")
	}
	return fmt.Sprintf("%s %s %s/%s: %s", part(string(f.Verb)), part(f.Resource), part(f.Namespace), part(f.Name),
		strings.Join(what, ", "))
}

// check returns an error for a fault that makes no sense.
func (f *Fault) check() error {
	forWatch := f.Verb == access.VerbWatch
	switch {
	case f.Code != 0 && (f.Code < 400 || f.Code > 599):
		return fmt.Errorf("code %d is not a failure", f.Code)
	case f.Code != 0 && f.Error != nil:
		return errors.New("both Code and Error are set")
	case f.fails() && f.Drop:
		return errors.New("a dropped connection has no answer: set either Drop or a failure")
	case f.Events != 0 && !forWatch || f.Events < 0:
		return errors.New("Events needs the verb watch, and must not be negative")
	case f.Late && (forWatch || !f.fails() && !f.Drop):
		return errors.New("Late needs Drop or a failure, and is not for watches")
	case !forWatch && !f.fails() && !f.Drop && f.Delay == 0:
		return errors.New("nothing happens")
	case f.Skip < 0 || f.Times < Always || f.Delay < 0 || f.RetryAfter < 0:
		return errors.New("a count or duration is negative")
	}
	return nil
}

func (f *Fault) fails() bool { return f.Code != 0 || f.Error != nil }

// isStream reports whether a watch that meets the fault starts as a stream.
func (f *Fault) isStream() bool {
	switch {
	case f.Events > 0:
		return true
	case f.fails():
		return f.answer(&Request{}).Status.Code == http.StatusGone
	}
	return !f.Drop && f.Delay == 0
}

// injected is the part of a failure's text that says where it comes from.
const injected = "a fault that the test has injected"

// answer returns the failure for a request, in the API's words.
func (f *Fault) answer(r *Request) *status.Error {
	if f.Error != nil {
		return f.Error
	}
	gr, seconds := r.groupResource(), int(f.RetryAfter/time.Second)
	switch f.Code {
	case http.StatusBadRequest:
		return status.BadRequest(injected)
	case http.StatusUnauthorized:
		return status.Unauthorized("Unauthorized")
	case http.StatusForbidden:
		return status.Forbidden(gr, r.Name, injected)
	case http.StatusNotFound:
		return status.NotFound(gr, r.Name)
	case http.StatusMethodNotAllowed:
		return status.MethodNotSupported(gr, string(r.Verb))
	case http.StatusConflict:
		if r.Verb == access.VerbCreate {
			return status.AlreadyExists(gr, r.Name)
		}
		return status.ModifiedConflict(gr, r.Name)
	case http.StatusGone:
		return status.Expired("The resourceVersion for the provided watch is too old.")
	case http.StatusTooManyRequests:
		return status.TooManyRequests("Too many requests, please try again later.", max(seconds, 1))
	case http.StatusInternalServerError:
		return withRetryAfter(status.InternalError(errors.New(injected)), seconds)
	case http.StatusServiceUnavailable:
		return withRetryAfter(status.ServiceUnavailable(injected), seconds)
	case http.StatusGatewayTimeout:
		return status.Timeout(injected, seconds)
	}
	return status.Generic(f.Code, injected)
}

// withRetryAfter returns the failure with a number of seconds to wait.
func withRetryAfter(e *status.Error, seconds int) *status.Error {
	if seconds == 0 {
		return e
	}
	out := status.Error{Status: e.Status}
	out.Status.Details = &status.Details{}
	if e.Status.Details != nil {
		*out.Status.Details = *e.Status.Details
	}
	out.Status.Details.RetryAfterSeconds = int32(seconds)
	return &out
}

// isAbout reports whether the fault matches a request. Calls in process do not distinguish an update from a patch.
func (f *Fault) isAbout(r *Request) bool {
	verb := f.Verb == "" || f.Verb == r.Verb || r.InProcess && f.Verb == access.VerbPatch && r.Verb == access.VerbUpdate
	return verb && (f.Resource == "" || f.Resource == r.path()) &&
		(f.Namespace == "" || f.Namespace == r.Namespace) && (f.Name == "" || f.Name == r.Name)
}

// Inject adds a fault. If several faults match a request, it meets the one that was injected first. If no request meets
// a fault before the test ends, the test fails, because a fault for the wrong requests proves nothing. This does not
// apply to a fault with Times [Always], or after [Server.ClearFaults].
func (s *Server) Inject(f Fault) {
	s.t.Helper()
	if err := f.check(); err != nil {
		s.t.Fatalf("resttest: the fault %s: %v", f, err)
	}
	s.faults.add(f)
}

// ClearFaults removes all faults, also those that no request has met.
func (s *Server) ClearFaults() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.all = nil
}

// faultList holds the faults in the order in which they were injected.
type faultList struct {
	mu  sync.Mutex
	all []*pending
}

// pending is a fault that is waiting for requests.
type pending struct {
	Fault
	skip, left int
	met        bool
}

func (l *faultList) add(f Fault) {
	left := f.Times
	if left == 0 {
		left = 1
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, &pending{Fault: f, skip: f.Skip, left: left})
}

// meet returns the fault that a request meets, or nil. Call it once for each request.
func (l *faultList) meet(r *Request, hasConnection bool) *Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, p := range l.all {
		if p.Drop && !hasConnection || p.left == 0 || !p.isAbout(r) {
			continue
		}
		if p.skip > 0 {
			p.skip--
			continue
		}
		p.met = true
		if p.left != Always {
			p.left--
		}
		return &l.all[i].Fault
	}
	return nil
}

// neverMet returns the faults that requests should have met but did not.
func (l *faultList) neverMet() []Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Fault
	for _, p := range l.all {
		if !p.met && p.Times != Always {
			out = append(out, p.Fault)
		}
	}
	return out
}
