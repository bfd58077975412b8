package resttest

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Always is a number of [Fault.Times] without end.
const Always = -1

// Fault is what goes wrong, for which requests and how often. The first group of fields says which requests it is about;
// an empty one is about all. The second says what happens to them.
type Fault struct {
	// Verb is what the request asks for.
	Verb rest.Verb
	// Resource is the plural, "widgets", or with a subresource "widgets/status".
	Resource string
	// Namespace and Name are those of the object: see [Request.Name].
	Namespace, Name string
	// Skip lets so many of these requests pass first.
	Skip int
	// Times is how many requests meet the fault. 0 is one; [Always] is all.
	Times int

	// Delay holds the request up. Alone, it is answered as usual afterwards.
	Delay time.Duration
	// Code is the HTTP status of a failure that is answered instead, as the API would put it: 409 is AlreadyExists for a
	// create and else Conflict, 410 is Expired, 429 comes with Retry-After, and so on for all codes from 400 to 599. A watch
	// gets 410 as the API sends it, as an event of the stream, and all else in place of the stream.
	Code int
	// RetryAfter is what the answer to 429, 500, 503 and 504 says, in whole seconds. Default: a second for 429, else nothing.
	RetryAfter time.Duration
	// Error is the failure instead of Code, in every detail.
	Error *status.Error
	// Drop breaks the connection instead of an answer. In process there is no connection, and the fault is not met.
	Drop bool
	// Late has the request carried out before it fails: what clients must reckon with whenever an answer is lost (API
	// conventions, HTTP Status codes: the outcome of the call is unknown). It is not for watches.
	Late bool
	// Events is for watches: so many events are sent first, bookmarks not counted. Then the stream sends the failure and
	// ends, or breaks off, or, where nothing else is said, ends as if its time were up.
	Events int
}

// String names the requests and what they meet, for messages.
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
	return fmt.Sprintf("%s %s %s/%s: %s", part(string(f.Verb)), part(f.Resource), part(f.Namespace), part(f.Name), strings.Join(what, ", "))
}

// check says what makes no sense.
func (f *Fault) check() error {
	forWatch := f.Verb == rest.Watch
	switch {
	case f.Code != 0 && (f.Code < 400 || f.Code > 599):
		return fmt.Errorf("code %d is no failure", f.Code)
	case f.Code != 0 && f.Error != nil:
		return errors.New("it has both a Code and an Error")
	case f.fails() && f.Drop:
		return errors.New("a connection that is dropped has no answer")
	case f.Events != 0 && !forWatch || f.Events < 0:
		return errors.New("Events are for the verb watch, and a count")
	case f.Late && (forWatch || !f.fails() && !f.Drop):
		return errors.New("Late says when a request fails that is no watch, and not how")
	case !forWatch && !f.fails() && !f.Drop && f.Delay == 0:
		return errors.New("nothing happens")
	case f.Skip < 0 || f.Times < Always || f.Delay < 0 || f.RetryAfter < 0:
		return errors.New("a count or duration is negative")
	}
	return nil
}

func (f *Fault) fails() bool { return f.Code != 0 || f.Error != nil }

// isStream reports whether a watch that meets the fault begins as a stream.
func (f *Fault) isStream() bool {
	switch {
	case f.Events > 0:
		return true
	case f.fails():
		return f.answer(&Request{}).Status.Code == http.StatusGone
	}
	return !f.Drop && f.Delay == 0
}

// injected says in the text of a failure where it comes from.
const injected = "a fault that the test has injected"

// answer is the failure for a request, in the API's words.
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
		if r.Verb == rest.Create {
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

// withRetryAfter returns the failure with a time to wait.
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

// isAbout reports whether a request is of those that the fault is about. In process an update and a patch are one thing.
func (f *Fault) isAbout(r *Request) bool {
	verb := f.Verb == "" || f.Verb == r.Verb || r.InProcess && f.Verb == rest.Patch && r.Verb == rest.Update
	return verb && (f.Resource == "" || f.Resource == r.path()) &&
		(f.Namespace == "" || f.Namespace == r.Namespace) && (f.Name == "" || f.Name == r.Name)
}

// Inject prepares a fault. Of several that are about a request the one that was injected first is met. That no request
// meets a fault until the test ends is an error of the test, unless the fault is there [Always] or was withdrawn by
// [Server.ClearFaults]: a fault that is about the wrong requests would prove nothing.
func (s *Server) Inject(f Fault) {
	s.t.Helper()
	if err := f.check(); err != nil {
		s.t.Fatalf("resttest: the fault %s: %v", f, err)
	}
	s.faults.add(f)
}

// ClearFaults withdraws all faults.
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

// pending is a fault that waits for requests.
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

// meet returns the fault that a request meets, or nil. It must be called once for each request.
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

// neverMet returns the faults that should have been met and were not.
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
