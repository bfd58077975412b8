// Package background waits for the goroutines of plug-ins.
package background

import (
	"context"
	"sync"
)

// Wait waits until the goroutines have ended, or returns an error if ctx ends first.
func Wait(ctx context.Context, running *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
