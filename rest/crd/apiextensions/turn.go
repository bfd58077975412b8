package apiextensions

import "context"

// Turn lets one goroutine at a time do expensive work. The zero value lets everybody work at once.
type Turn chan struct{}

// NewTurn returns a Turn that one goroutine at a time can take.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits for the turn and returns the function that gives it back, or the cause of ctx if that ends first.
func (t Turn) Take(ctx context.Context) (giveBack func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
