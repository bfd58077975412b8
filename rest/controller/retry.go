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
	// calm is the time after which a failure counts as unrelated to the previous one.
	calm = 2 * time.Minute
)

// backoff computes the delays after failures.
type backoff struct {
	delay  time.Duration
	failed time.Time // the time of the last failure
}

// next returns the delay after a failure at this time: twice the last delay, plus up to as much again at random, so that
// informers that fail together do not retry together.
func (b *backoff) next(now time.Time) time.Duration {
	if b.failed.IsZero() || now.Sub(b.failed) > calm {
		b.delay = firstDelay
	} else {
		b.delay = min(2*b.delay, longestDelay)
	}
	b.failed = now
	return b.delay + rand.N(b.delay)
}

// isFinal reports whether a retry cannot succeed: the API or its store is closed, or the request does not fit the
// resource.
func isFinal(err error) bool {
	switch status.ReasonOf(err) {
	case status.ReasonBadRequest, status.ReasonMethodNotAllowed, status.ReasonNotFound:
		return true
	}
	return errors.Is(err, watch.ErrClosed)
}
