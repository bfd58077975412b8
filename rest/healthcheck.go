package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
)

// HealthEndpoint is a path that reports the health of the program.
type HealthEndpoint string

// The endpoints of health.
const (
	// Readyz says whether the program should receive requests. Load balancers ask it.
	Readyz HealthEndpoint = "readyz"
	// Livez says whether the program works at all. Kubernetes restarts a container whose /livez fails.
	Livez HealthEndpoint = "livez"
	// Healthz is the older name of Livez, which some load balancers still ask.
	Healthz HealthEndpoint = "healthz"
)

// HealthCheck is a check that the endpoints of health make besides those of the API itself. The report at /readyz names
// a check that fails, but withholds the reason, because everybody may be allowed to read it. The log, and the path of
// the single check, such as /readyz/billing, give the reason.
type HealthCheck struct {
	// Name is the name of the check in reports and paths, such as "billing". It is a DNS label. The names ping, store,
	// plugins and shutdown belong to the API.
	Name string
	// Endpoints are where the check counts. Default: Readyz. A failure at Livez makes Kubernetes restart the program, so a
	// check belongs there only if a restart helps.
	Endpoints []HealthEndpoint
	// Check returns an error if something is wrong. A panic is an error too. ctx ends after Timeout. The API calls Check
	// once at a time: a request that arrives meanwhile gets the same result.
	Check func(ctx context.Context) error
	// Timeout is the time limit of Check. Beyond it the check fails, even if Check does not return. Choose less than the
	// time limit of those who ask. Default: 1 second.
	Timeout time.Duration
}

const defaultHealthTimeout = time.Second

// healthEndpoints are all endpoints of health.
var healthEndpoints = []HealthEndpoint{Readyz, Livez, Healthz}

// reservedChecks are the checks that the API makes itself.
var reservedChecks = []string{checkPing, checkStore, checkPlugins, checkShutdown}

// hostCheck is a check of the host or of a plug-in, with its call under way.
type hostCheck struct {
	HealthCheck
	log *slog.Logger

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

// newHostChecks returns the checks, or an error if one is declared wrongly.
func newHostChecks(declared []HealthCheck, log *slog.Logger) ([]*hostCheck, error) {
	var checks []*hostCheck
	for _, d := range declared {
		switch {
		case len(apimeta.ValidateDNS1123Label(d.Name)) > 0:
			return nil, fmt.Errorf("health check %q: the name is not a DNS label", d.Name)
		case d.Check == nil:
			return nil, fmt.Errorf("health check %q: Check is nil", d.Name)
		case d.Timeout < 0:
			return nil, fmt.Errorf("health check %q: Timeout is negative", d.Name)
		case slices.Contains(reservedChecks, d.Name):
			return nil, fmt.Errorf("health check %q: the API has a check of this name", d.Name)
		case slices.ContainsFunc(checks, func(c *hostCheck) bool { return c.Name == d.Name }):
			return nil, fmt.Errorf("health check %q: declared twice", d.Name)
		}
		for _, endpoint := range d.Endpoints {
			if !slices.Contains(healthEndpoints, endpoint) {
				return nil, fmt.Errorf("health check %q: unknown endpoint %q", d.Name, endpoint)
			}
		}
		if len(d.Endpoints) == 0 {
			d.Endpoints = []HealthEndpoint{Readyz}
		}
		d.Endpoints, d.Timeout = slices.Clone(d.Endpoints), cmp.Or(d.Timeout, defaultHealthTimeout)
		checks = append(checks, &hostCheck{HealthCheck: d, log: log})
	}
	return checks, nil
}

// begin returns the call under way, or begins one. So a check that never returns holds a single goroutine.
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

// lateness is how much later than its Timeout a check may return, so that a check that respects its context can say
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

// note logs when the check begins to fail and when it recovers, and not each time that somebody asks.
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
