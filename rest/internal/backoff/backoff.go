// Package backoff computes how long a reader waits before it retries.
package backoff

import (
	"math/rand/v2"
	"time"
)

// The delays are those of client-go's reflectors.
const (
	firstDelay   = 800 * time.Millisecond
	longestDelay = 30 * time.Second
	// calm is the time without a failure after which the delays start from the beginning.
	calm = 2 * time.Minute
)

// Backoff computes the delays between retries. The zero value has seen no failure.
type Backoff struct {
	delay  time.Duration
	failed time.Time // the time of the last failure
}

// Next returns the delay after a failure at time now. It doubles the previous delay, and adds a random time of up to the
// same length, so that readers that fail together do not retry together.
func (b *Backoff) Next(now time.Time) time.Duration {
	if b.failed.IsZero() || now.Sub(b.failed) > calm {
		b.delay = firstDelay
	} else {
		b.delay = min(2*b.delay, longestDelay)
	}
	b.failed = now
	return b.delay + rand.N(b.delay)
}
