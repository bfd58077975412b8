// Package turns limits the calls of one webhook. A webhook that hangs must not hold all requests that an API handles at
// a time, so only a limited number of calls waits, and further ones fail at once.
package turns

import (
	"context"
	"errors"
)

var errCrowded = errors.New("too many calls are waiting for the webhook")

// Turns limits how many calls are under way, and how many wait.
type Turns struct {
	places chan struct{} // a token for each call that is under way or waits
	turns  chan struct{} // a token for each call under way
}

// New returns limits for calls under way and for waiting ones.
func New(calls, waiting int) *Turns {
	return &Turns{places: make(chan struct{}, calls+waiting), turns: make(chan struct{}, calls)}
}

// Enter waits for the turn of a call, which ends with leave. It returns an error if too many calls are waiting, or if
// ctx ends.
func (t *Turns) Enter(ctx context.Context) (leave func(), err error) {
	select {
	case t.places <- struct{}{}:
	default:
		return nil, errCrowded
	}
	select {
	case t.turns <- struct{}{}:
		return func() { <-t.turns; <-t.places }, nil
	case <-ctx.Done():
		<-t.places
		return nil, context.Cause(ctx)
	}
}
