// Package deadline bounds the time of a request without a timer. A write to a store in memory waits for nothing: it
// only asks whether its time is up.
package deadline

import (
	"context"
	"sync"
	"time"
)

// After returns a context that ends after a duration, like [context.WithTimeout]. Its timer starts when somebody asks
// for the channel Done, and the context registers with its parent only then. The caller calls the returned function.
func After(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	c := &bounded{Context: parent, deadline: time.Now().Add(d)}
	if earlier, ok := parent.Deadline(); ok && earlier.Before(c.deadline) {
		c.deadline = earlier
	}
	return c, c.cancel
}

// bounded is a context with a deadline.
type bounded struct {
	context.Context // the parent of this context
	deadline        time.Time

	mu      sync.Mutex
	err     error           // why the context has ended; nil until somebody has noticed
	watched context.Context // a context of the standard library; nil until somebody asks for Done
	stop    context.CancelFunc
}

func (c *bounded) Deadline() (time.Time, bool) { return c.deadline, true }

func (c *bounded) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched == nil {
		c.watched, c.stop = context.WithDeadline(c.Context, c.deadline)
		if c.err != nil {
			c.stop()
		}
	}
	return c.watched.Done()
}

func (c *bounded) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended()
}

// ended returns why the context has ended, or nil. The caller holds the lock.
func (c *bounded) ended() error {
	switch {
	case c.err != nil:
	case c.watched != nil:
		c.err = c.watched.Err()
	case c.Context.Err() != nil:
		c.err = c.Context.Err()
	case !time.Now().Before(c.deadline):
		c.err = context.DeadlineExceeded
	}
	return c.err
}

// Value asks the context of the standard library, if it exists. Otherwise a context that is derived from this one would
// need a goroutine to watch it.
func (c *bounded) Value(key any) any {
	c.mu.Lock()
	inner := c.watched
	c.mu.Unlock()
	if inner == nil {
		inner = c.Context
	}
	return inner.Value(key)
}

func (c *bounded) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched != nil {
		c.stop()
	} else if c.ended() == nil {
		c.err = context.Canceled
	}
}
