package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// Flights are the requests and the calls in process that an API has under way. It admits them, and the end of the API
// and of a resource waits for them.
type Flights struct {
	ending *Ending

	mu        sync.Mutex
	count     int           // requests and calls
	places    share         // places of requests that the API works on
	bodies    share         // places of requests whose bodies are being read, in units of bodyUnit
	answers   share         // places of requests whose clients read large answers
	outside   share         // places of requests that wait for webhooks
	stuck     share         // places of requests that are answered although a hook still works on them
	abandoned int           // how many those are, with those that have kept their place
	first     *Flight       // the newest request, the head of a list
	idle      chan struct{} // closed when the API is ending and nothing is under way
}

// Flight is the place of one request among the Flights.
type Flight struct {
	request        Request
	of             *resource.Resource // nil for paths outside of all resources, and for a stream
	user           string             // empty if nobody knows
	exempt         bool               // no limit holds for the request
	seats          access.Seats       // nil if the request needs none
	continues      bool               // the request has its seats without a place, see Continue
	outside        int                // how many hooks of the request wait for webhooks
	waitsFor       string             // the webhook for which the request may wait while it has a place
	in             *share             // where the request is now; nil before Take, after Stay and for an exempt request
	taken          int                // how much it takes there
	abandoned      bool               // the client has its answer, and a hook still works on the request
	before, behind *Flight
}

// Request is what others may ask a request that is under way.
type Request interface {
	// Name returns the method and the path.
	Name() string
	// Hurry gives the client a deadline for reading the rest of its answer, unless the host's server sets one.
	Hurry()
}

// NewFlights returns the Flights of an API that works on so many requests at once, not counting watches and streams.
// maxBody is the size limit of a body in bytes.
func NewFlights(ending *Ending, places int, maxBody int64) *Flights {
	return &Flights{
		ending: ending, idle: make(chan struct{}),
		places: share{limit: places}, answers: share{limit: places}, outside: share{limit: (places + 1) / 2},
		bodies: share{limit: max(places, 4*unitsOf(maxBody))}, stuck: share{limit: (places + 1) / 2},
	}
}

// ShuttingDown is the answer to requests and calls that arrive after the end has begun.
func ShuttingDown() error {
	return status.ServiceUnavailable("the server is shutting down").WithCause(ErrEnding)
}

// NotYetServed returns the error for a resource that the API expects, in the words of kube-apiserver while it starts.
func NotYetServed() error {
	e := status.ServiceUnavailable("the request has been made before all known HTTP paths have been installed, please try again")
	e.Status.Details = &status.Details{RetryAfterSeconds: 1}
	return e
}

// Enter registers a request on a resource, or returns the error to answer with: [resource.ErrRetired] if the API no
// longer serves the resource, because the end of the resource does not wait for this request. A request that Enter
// admits must Leave. It has no place yet, so it may wait for what finds out its user.
func (f *Flights) Enter(in *Flight, request Request, of *resource.Resource) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ending.Err() != nil {
		return ShuttingDown()
	}
	if of.Left() {
		return resource.ErrRetired
	}
	f.count++
	of.Enter()
	*in = Flight{request: request, of: of, behind: f.first}
	if in.behind != nil {
		in.behind.before = in
	}
	f.first = in
	return nil
}

// EnterCall admits a call of an in-process client; of may be nil. The limit of requests does not hold for calls.
// Otherwise, a hook could not call the API if the request that runs the hook is the last one that the limit admits.
func (f *Flights) EnterCall(of *resource.Resource) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ending.Err() != nil {
		return ShuttingDown()
	}
	f.count++
	of.Enter()
	return nil
}

// Stay frees the place of a request once it has turned out to be a watch or a stream. The end of a resource does not
// wait for its streams.
func (f *Flights) Stay(in *Flight, stream bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leave(in)
	in.unseat()
	if stream {
		in.of.Leave()
		in.of = nil
	}
}

// Leave ends a request, and returns how many abandoned ones are left.
func (f *Flights) Leave(in *Flight) (abandoned int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leave(in)
	in.unseat()
	if in.abandoned {
		f.abandoned--
	}
	if in.before == nil {
		f.first = in.behind
	} else {
		in.before.behind = in.behind
	}
	if in.behind != nil {
		in.behind.before = in.before
	}
	f.left(in.of)
	return f.abandoned
}

// LeaveCall ends a call.
func (f *Flights) LeaveCall(of *resource.Resource) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left(of)
}

// left ends a request or a call. The last one of a closing API wakes Shutdown. The caller holds mu.
func (f *Flights) left(of *resource.Resource) {
	of.Leave()
	if f.count--; f.count == 0 && f.ending.Err() != nil {
		close(f.idle)
	}
}

// End admits nothing more and begins the end of watches and streams. It may be called several times.
func (f *Flights) End() {
	defer f.ending.HurryAll() // runs after Unlock, so that hurrying does not hold up requests
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ending.Err() != nil {
		return
	}
	f.ending.Begin(ShuttingDown())
	if f.count == 0 {
		close(f.idle)
	}
}

// Idle returns a channel that is closed when the API is ending and nothing is under way.
func (f *Flights) Idle() <-chan struct{} { return f.idle }

// Locked runs change while no request begins or ends.
func (f *Flights) Locked(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// Await waits until nothing is under way on the resources, or until the context ends.
func (f *Flights) Await(ctx context.Context, resources []*resource.Resource) {
	for _, res := range resources {
		f.mu.Lock()
		none := res.None()
		f.mu.Unlock()
		select {
		case <-none:
		case <-ctx.Done():
			return
		}
	}
}

// Hurry hurries all requests.
func (f *Flights) Hurry() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for in := f.first; in != nil; in = in.behind {
		in.request.Hurry()
	}
}

// Each calls look with every request, while no request begins or ends.
func (f *Flights) Each(look func(Request)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for in := f.first; in != nil; in = in.behind {
		look(in.request)
	}
}

// named is how many requests String names.
const named = 10

// String names the requests under way and counts the calls.
func (f *Flights) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	calls, more := f.count, 0
	for in := f.first; in != nil; in = in.behind {
		calls--
		if len(names) < named {
			names = append(names, in.request.Name())
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
