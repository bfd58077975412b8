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

// Delay returns how long to wait after a number of failures. It is first after the first failure, doubles with each
// further one, and is never longer than longest.
func Delay(failures int, first, longest time.Duration) time.Duration {
	delay := min(first, longest)
	for ; failures > 1 && delay < longest; failures-- {
		if delay > longest/2 {
			return longest
		}
		delay *= 2
	}
	return delay
}

// Backoff computes the delays between retries. The zero value has seen no failure.
type Backoff struct {
	failures int
	failed   time.Time // the time of the last failure
}

// Next returns the delay after a failure at time now. It doubles the previous delay, and adds a random time of up to
// the same length, so that readers that fail together do not retry together.
func (b *Backoff) Next(now time.Time) time.Duration {
	if b.failed.IsZero() || now.Sub(b.failed) > calm {
		b.failures = 0
	}
	b.failures, b.failed = b.failures+1, now
	delay := Delay(b.failures, firstDelay, longestDelay)
	return delay + rand.N(delay)
}
