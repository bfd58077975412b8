package controller

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// reportStuck logs the key of a call of the reconciler that runs longer than StuckAfter. Call returned when the call
// ends.
func (c *Controller) reportStuck(ctx context.Context, key Key) (returned func()) {
	age := c.options.StuckAfter
	if age < 0 {
		return func() {}
	}
	var mu sync.Mutex
	var timer *time.Timer
	over := false
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(age, func() {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return
		}
		c.options.Logger.LogAttrs(ctx, slog.LevelError, "reconcile has not returned", slog.Any("key", key),
			slog.Duration("age", age))
		timer.Reset(age)
		age *= 2
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		timer.Stop()
	}
}
