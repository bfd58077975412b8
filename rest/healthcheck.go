package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/storage"
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

// The names of the API's own checks.
const (
	checkPing     = "ping"
	checkStore    = "store"
	checkPlugins  = "plugins"
	checkShutdown = "shutdown"
)

var reservedChecks = []string{checkPing, checkStore, checkPlugins, checkShutdown}

// checks returns the checks of the API itself, of the host and of the plug-ins, in the order of the reports. All
// endpoints run the first one. Only /readyz runs the API's other checks, and reports why they fail, except for a
// shutdown. checks returns an error if the declaration of a check is invalid.
func (a *API) checks(declared []HealthCheck) ([]front.Check, error) {
	const readyz = string(Readyz)
	checks := []front.Check{front.OwnCheck(checkPing, false, func() error { return nil }, front.Endpoints...)}
	if store, ok := a.store.(storage.Prober); ok {
		checks = append(checks, front.OwnCheck(checkStore, true, store.Ready, readyz))
	}
	for _, gr := range sortedResources(a.options.Stores) {
		if store, ok := a.options.Stores[gr].(storage.Prober); ok {
			checks = append(checks, front.OwnCheck(checkStore+"-"+gr.String(), true, store.Ready, readyz))
		}
	}
	if len(a.plugins.parts) > 0 {
		checks = append(checks, front.OwnCheck(checkPlugins, true, a.plugins.ready, readyz))
	}
	hosts, err := hostChecks(declared, a.options.Logger)
	return append(append(checks, hosts...), front.OwnCheck(checkShutdown, false, a.leaving, readyz)), err
}

// ready returns an error until the plug-ins have started.
func (p *plugins) ready() error {
	if p.waiting.Load() {
		return errors.New("the API has not started its plug-ins: " + p.names())
	}
	return nil
}

// leaving returns an error once the API has begun to shut down.
func (a *API) leaving() error {
	if a.plugins.leaving.Err() != nil || a.closing() {
		return errors.New("the server is shutting down")
	}
	return nil
}

// hostChecks returns the checks of the host and the plug-ins, or an error if a declaration is invalid.
func hostChecks(declared []HealthCheck, log *slog.Logger) ([]front.Check, error) {
	var checks []front.Check
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
		case slices.ContainsFunc(checks, func(c front.Check) bool { return c.Name == d.Name }):
			return nil, fmt.Errorf("health check %q: declared twice", d.Name)
		}
		var endpoints []string
		for _, endpoint := range d.Endpoints {
			if !slices.Contains(front.Endpoints, string(endpoint)) {
				return nil, fmt.Errorf("health check %q: unknown endpoint %q", d.Name, endpoint)
			}
			endpoints = append(endpoints, string(endpoint))
		}
		if len(endpoints) == 0 {
			endpoints = []string{string(Readyz)}
		}
		checks = append(checks, front.HostCheck{Name: d.Name, Endpoints: endpoints, Check: d.Check,
			Timeout: cmp.Or(d.Timeout, defaultHealthTimeout), Logger: log}.Line())
	}
	return checks, nil
}
