package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Group is work that runs together: controllers, and other functions that run until their context ends. Its method
// Run has the form that package election expects, so one leader can run the whole group:
//
//	group := controller.Group{widgets.Run, gadgets.Run}
//	err := election.Run(ctx, election.Options{Client: leases, Name: "platform"}, group.Run)
type Group []func(ctx context.Context) error

// Run runs all functions of the group until ctx ends, and returns nil. A function may return the error of the ended
// context. If a function returns an error or panics, Run ends the context of the others and returns the first error.
// A function that returns nil has done its work; the others go on. All goroutines that Run starts end before it
// returns, so Run waits for a function that ignores the end of its context.
func (g Group) Run(ctx context.Context) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	var (
		group sync.WaitGroup
		once  sync.Once
		first error
	)
	for _, run := range g {
		group.Go(func() {
			err := safely(running, run)
			if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return
			}
			once.Do(func() { first = err })
			stop()
		})
	}
	group.Wait()
	return first
}

// safely turns a panic of run into an error, because the host cannot recover it in this goroutine.
func safely(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("controller: a function of the group panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return run(ctx)
}
