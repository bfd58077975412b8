// Package backoff computes how long a reader waits after failures.
package backoff

import (
	"math/rand/v2"
	"time"
)

// The delays are those of client-go's reflectors.
const (
	firstDelay   = 800 * time.Millisecond
	longestDelay = 30 * time.Second
	// calm is the time after which a failure counts as unrelated to the previous one.
	calm = 2 * time.Minute
)

// Backoff computes the delays after failures. The zero value has seen none.
type Backoff struct {
	delay  time.Duration
	failed time.Time // the time of the last failure
}

// Next returns the delay after a failure at this time: twice the last delay, plus up to as much again at random, so that
// readers that fail together do not retry together.
func (b *Backoff) Next(now time.Time) time.Duration {
	if b.failed.IsZero() || now.Sub(b.failed) > calm {
		b.delay = firstDelay
	} else {
		b.delay = min(2*b.delay, longestDelay)
	}
	b.failed = now
	return b.delay + rand.N(b.delay)
}
