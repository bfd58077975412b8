package front

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// HostCheck is a check of the host or of a plug-in.
type HostCheck struct {
	Name      string
	Endpoints []string
	Check     func(ctx context.Context) error
	Timeout   time.Duration
	Logger    *slog.Logger
}

// Line returns the check as a line of the reports.
func (c HostCheck) Line() Check {
	h := &hostCheck{HostCheck: c}
	return Check{c.Name, c.Endpoints, false, func() func() error {
		call := h.begin()
		return func() error { return h.wait(call) }
	}}
}

// hostCheck is a HostCheck with its current call.
type hostCheck struct {
	HostCheck

	mu      sync.Mutex
	running *checkCall
	failing bool
}

// checkCall is a call of a check.
type checkCall struct {
	begun time.Time
	done  chan struct{}
	err   error // valid once done is closed
}

// begin returns the current call, or begins one. So a check that never returns holds a single goroutine.
func (c *hostCheck) begin() *checkCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = &checkCall{begun: time.Now(), done: make(chan struct{})}
		go c.call(c.running)
	}
	return c.running
}

func (c *hostCheck) call(into *checkCall) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			c.Logger.Error("health check panicked", "check", c.Name, "panic", p, "stack", string(debug.Stack()))
			into.err = errors.New("the check panicked")
		}
		c.mu.Lock()
		c.running = nil
		c.mu.Unlock()
		close(into.done)
	}()
	into.err = c.Check(ctx)
}

// lateness is how much later than its Timeout a check may return, so that a check that respects its context can report
// what it waited for.
const lateness = 100 * time.Millisecond

// wait returns the error of a call. It does not wait for a check that ignores its time limit.
func (c *hostCheck) wait(call *checkCall) error {
	timer := time.NewTimer(time.Until(call.begun.Add(c.Timeout + lateness)))
	defer timer.Stop()
	var err error
	select {
	case <-call.done:
		err = call.err
	case <-timer.C:
		err = fmt.Errorf("the check did not return within %s", c.Timeout)
	}
	c.note(err)
	return err
}

// note logs when the check begins to fail and when it recovers, but not each report.
func (c *hostCheck) note(err error) {
	c.mu.Lock()
	changed := c.failing != (err != nil)
	c.failing = err != nil
	c.mu.Unlock()
	switch {
	case !changed:
	case err != nil:
		c.Logger.Warn("health check failed", "check", c.Name, "error", err)
	default:
		c.Logger.Info("health check recovered", "check", c.Name)
	}
}
