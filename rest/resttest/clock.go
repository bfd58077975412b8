package resttest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Clock is a clock that stands still until a test sets it. Its methods are safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// start is the initial time of a Clock. Any fixed time would do.
func start() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// Now returns the time that was set last. Pass it to [rest.Options] and to other code that takes a clock, such as a
// controller that sets the times of conditions.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set sets the time, which may be earlier than before.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock forward and returns the new time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// countedUIDs returns a source of uids in the form of a random UUID, counted from 1, so that they are the same in each
// run.
func countedUIDs() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n.Add(1)) }
}
