package front

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/observe"
)

// HostChecks returns the checks of the host and the plug-ins, or an error if a declaration is invalid. The API's own
// checks have the reserved names.
func HostChecks(declared []observe.HealthCheck, reserved []string, log *slog.Logger) ([]Check, error) {
	var checks []Check
	for _, d := range declared {
		switch {
		case len(apimeta.ValidateDNS1123Label(d.Name)) > 0:
			return nil, fmt.Errorf("health check %q: the name is not a DNS label", d.Name)
		case d.Check == nil:
			return nil, fmt.Errorf("health check %q: Check is nil", d.Name)
		case d.Timeout < 0:
			return nil, fmt.Errorf("health check %q: Timeout is negative", d.Name)
		case slices.Contains(reserved, d.Name):
			return nil, fmt.Errorf("health check %q: the API has a check of this name", d.Name)
		case findCheck(checks, d.Name) >= 0:
			return nil, fmt.Errorf("health check %q: declared twice", d.Name)
		}
		for _, endpoint := range d.Endpoints {
			if !slices.Contains(Endpoints, endpoint) {
				return nil, fmt.Errorf("health check %q: unknown endpoint %q", d.Name, endpoint)
			}
		}
		if d.Timeout == 0 {
			d.Timeout = defaultHealthTimeout
		}
		if d.Endpoints = slices.Clone(d.Endpoints); len(d.Endpoints) == 0 {
			d.Endpoints = []observe.HealthEndpoint{observe.Readyz}
		}
		checks = append(checks, (&hostCheck{HealthCheck: d, log: log}).line())
	}
	return checks, nil
}

const defaultHealthTimeout = time.Second

// hostCheck is a check of the host or of a plug-in, with its current call.
type hostCheck struct {
	observe.HealthCheck
	log *slog.Logger

	mu      sync.Mutex
	running *checkCall
	failing bool
}

// line returns the check as a line of the reports.
func (c *hostCheck) line() Check {
	return Check{c.Name, c.Endpoints, false, func() func() error {
		call := c.begin()
		return func() error { return c.wait(call) }
	}}
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
			c.log.Error("health check panicked", "check", c.Name, "panic", p, "stack", string(debug.Stack()))
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
		c.log.Warn("health check failed", "check", c.Name, "error", err)
	default:
		c.log.Info("health check recovered", "check", c.Name)
	}
}
