package controller

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// The delays are those of client-go's reflectors.
const (
	firstDelay   = 800 * time.Millisecond
	longestDelay = 30 * time.Second
	// calm is how far apart failures are that have nothing to do with each other.
	calm = 2 * time.Minute
)

// backoff says how long to wait after failures.
type backoff struct {
	delay  time.Duration
	failed time.Time // the last time
}

// next returns the delay after a failure at this time: twice as long as after the last one, with up to as much again so
// that informers that fail together do not return together.
func (b *backoff) next(now time.Time) time.Duration {
	if b.failed.IsZero() || now.Sub(b.failed) > calm {
		b.delay = firstDelay
	} else {
		b.delay = min(2*b.delay, longestDelay)
	}
	b.failed = now
	return b.delay + rand.N(b.delay)
}

// isFinal reports whether an error will come again however often one tries: the API or its store has been closed, or what
// is asked does not fit the resource.
func isFinal(err error) bool {
	switch status.ReasonOf(err) {
	case status.ReasonBadRequest, status.ReasonMethodNotAllowed, status.ReasonNotFound:
		return true
	}
	return errors.Is(err, watch.ErrClosed)
}
