package resttest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Clock is a clock that stands still until somebody sets it. It may be used from several goroutines.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// start is when a Clock begins. Any fixed time would do.
func start() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// Now returns the time that was set last. It fits [rest.Options] and whatever else takes a clock, like the Now of the
// conditions that a controller under test writes.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set makes it that time, which may be earlier than before.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance sets the clock forward and returns the new time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// countedUIDs returns a source of uids that have the form of a random UUID and are counted from 1, so that they are the
// same in each run.
func countedUIDs() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n.Add(1)) }
}
