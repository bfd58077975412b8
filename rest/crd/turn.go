package crd

import "context"

// turn lets one goroutine at a time do expensive work.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn and returns the function that gives it back, or the cause of ctx if ctx ends first.
func (t turn) take(ctx context.Context) (giveBack func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
