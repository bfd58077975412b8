package delivery

import (
	"context"
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/watch"
)

// ErrEnding ends watches and streams when the API ends.
var ErrEnding = fmt.Errorf("the server is shutting down: %w", watch.ErrClosed)

// Ending is the end of an API: a context that is over when the API takes no more requests, and watches and streams shall end.
type Ending struct {
	context.Context
	begin context.CancelCauseFunc

	mu       sync.Mutex
	hurrying bool
	first    *Hurried
}

// NewEnding returns the end of an API, which has not begun.
func NewEnding() *Ending {
	e := &Ending{}
	e.Context, e.begin = context.WithCancelCause(context.Background())
	return e
}

// Begin begins the end. HurryAll must follow.
func (e *Ending) Begin(cause error) { e.begin(cause) }

// Until returns a context that also ends when the API does.
func (e *Ending) Until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e, func() { cancel(context.Cause(e)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// HurryAll hurries all, once the beginning of the end can be seen.
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

// Hurried is one who must hurry when the API ends, so that a client that does not read does not hold up the shutdown. A context
// would tell it as well, and take several times the memory of each watch.
type Hurried struct {
	all            *Ending
	hurry          func()
	before, behind *Hurried
}

// Hurry has hurry, which must not block, called when the API ends, or has ended. Call Stop when nothing is left to hurry.
func (e *Ending) Hurry(h *Hurried, hurry func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hurrying {
		hurry()
	}
	*h = Hurried{all: e, hurry: hurry, behind: e.first}
	if h.behind != nil {
		h.behind.before = h
	}
	e.first = h
}

// Stop returns when nothing is hurried any more: the connection may be used for other requests, whose deadline is not to be
// touched.
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
