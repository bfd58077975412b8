package delivery

import (
	"context"
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/watch"
)

// ErrEnding is the reason why watches and streams end when the API ends.
var ErrEnding = fmt.Errorf("the server is shutting down: %w", watch.ErrClosed)

// Ending is the end of an API. The API has one, which is also a context: it is done when the API accepts no more
// requests, and watches and streams must end. Any goroutine may use it.
type Ending struct {
	context.Context
	begin context.CancelCauseFunc

	mu       sync.Mutex
	hurrying bool
	first    *Hurried
}

// NewEnding returns an Ending that has not begun.
func NewEnding() *Ending {
	e := &Ending{}
	e.Context, e.begin = context.WithCancelCause(context.Background())
	return e
}

// Begin ends the context. The caller must call HurryAll next. The two are separate because the API begins the end under
// its own lock, which hurrying must not hold up.
func (e *Ending) Begin(cause error) { e.begin(cause) }

// Until returns a context that ends with ctx or with the API, whichever comes first. The caller must call the returned
// function.
func (e *Ending) Until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e, func() { cancel(context.Cause(e)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// Ended implements [storage.Holder].
func (e *Ending) Ended() bool { return e.Err() != nil }

// HurryAll calls the function of every Hurried. It must come after Begin, so that whoever is hurried sees that the API
// ends.
func (e *Ending) HurryAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hurrying {
		return
	}
	e.hurrying = true
	for h := e.first; h != nil; h = h.behind {
		h.hurry()
	}
}

// Hurried is an answer in progress that must hurry when the API ends. Otherwise a client that does not read would hold
// up the shutdown. A context could do the same, but would take several times the memory for each watch.
type Hurried struct {
	all            *Ending
	hurry          func()
	of             *resource.Resource // the resource of a watch, otherwise nil
	retire         func()
	before, behind *Hurried
}

// Hurry registers hurry, to be called once when the API ends, or at once if it has ended already. It runs under the
// lock of the Ending, so it must not block and must not call the Ending. The caller must call Stop when the answer is
// complete.
func (e *Ending) Hurry(h *Hurried, hurry func()) {
	e.add(h, Hurried{hurry: hurry})
}

// HurryWatch is Hurry for a watch. retire is called under the same conditions when the API gives up or replaces the
// resource.
func (e *Ending) HurryWatch(h *Hurried, of *resource.Resource, hurry, retire func()) {
	e.add(h, Hurried{hurry: hurry, of: of, retire: retire})
}

func (e *Ending) add(h *Hurried, with Hurried) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hurrying {
		with.hurry()
	}
	with.all, with.behind = e, e.first
	*h = with
	if h.behind != nil {
		h.behind.before = h
	}
	e.first = h
}

// Retire ends every watch whose resource is retired, by calling the function retire of the watch.
func (e *Ending) Retire(retired func(*resource.Resource) bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for h := e.first; h != nil; h = h.behind {
		if h.of != nil && retired(h.of) {
			h.retire()
		}
	}
}

// UntilRetired is Until for a watch of a resource. The context also ends when the API gives up or replaces the
// resource, with [resource.ErrRetired] as its cause.
func (e *Ending) UntilRetired(ctx context.Context, of *resource.Resource) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	h := new(Hurried)
	e.HurryWatch(h, of, func() { cancel(context.Cause(e)) }, func() { cancel(resource.ErrRetired) })
	if of.Retired() { // perhaps before HurryWatch
		cancel(resource.ErrRetired)
	}
	return ctx, func() {
		h.Stop()
		cancel(nil)
	}
}

// Stop removes h. After Stop returns, hurry does not run any more. The caller relies on this, because the connection
// may then carry other requests, whose deadline hurry must not change.
func (h *Hurried) Stop() {
	h.all.mu.Lock()
	defer h.all.mu.Unlock()
	if h.before == nil {
		h.all.first = h.behind
	} else {
		h.before.behind = h.behind
	}
	if h.behind != nil {
		h.behind.before = h.before
	}
}
