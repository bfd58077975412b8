package rest

import (
	"errors"

	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/storage"
)

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
func (a *API) checks(declared []observe.HealthCheck) ([]front.Check, error) {
	checks := []front.Check{front.OwnCheck(checkPing, false, func() error { return nil }, front.Endpoints...)}
	if store, ok := a.store.(storage.Prober); ok {
		checks = append(checks, front.OwnCheck(checkStore, true, store.Ready, observe.Readyz))
	}
	for _, gr := range sortedResources(a.options.Stores) {
		if store, ok := a.options.Stores[gr].(storage.Prober); ok {
			checks = append(checks, front.OwnCheck(checkStore+"-"+gr.String(), true, store.Ready, observe.Readyz))
		}
	}
	if len(a.plugins.parts) > 0 {
		checks = append(checks, front.OwnCheck(checkPlugins, true, a.plugins.ready, observe.Readyz))
	}
	hosts, err := front.HostChecks(declared, reservedChecks, a.options.Logger)
	return append(append(checks, hosts...), front.OwnCheck(checkShutdown, false, a.leaving, observe.Readyz)), err
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
