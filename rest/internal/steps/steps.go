// Package steps reports the steps of a write to the observer of its request. The context of the request carries the
// observer, so that the rooms can report to it. Without an observer, a step costs nothing.
package steps

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/rest/observe"
)

// Observer receives the steps of one request. Any number of goroutines may call it.
type Observer interface {
	// Begin reports the beginning of a step. It returns the context for what happens within the step, and a function that
	// reports the end.
	Begin(ctx context.Context, s observe.Step) (context.Context, func(observe.StepResult))
	// Pipeline says how a write reports its steps of kind [observe.StepPipeline]: in times, unless it is nil, and each by
	// Begin if each is set.
	Pipeline() (times *Times, each bool)
	// Committed reports a change.
	Committed(ctx context.Context, c observe.ObjectChange)
}

// In returns a context whose steps are reported to the observer.
func In(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, keys.Observer{}, o)
}

// ObserverOf returns the observer of the context, or nil.
func ObserverOf(ctx context.Context) Observer {
	o, _ := ctx.Value(keys.Observer{}).(Observer)
	return o
}
