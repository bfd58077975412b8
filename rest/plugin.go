package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/observe"
)

// Plugin adds parts to an API: kinds, admission hooks, users, rights, and work in the background. [Options.Plugins]
// lists the plug-ins of an API. Packages rest/rbac, rest/serviceaccount, rest/quota, rest/fairness, rest/webhook,
// rest/policy, rest/crd, rest/seed, rest/apiservice, rest/aggregated, rest/lifecycle, rest/audit, rest/requestlog,
// rest/transaction, rest/debug and rest/auth have plug-ins, and a host can write its own.
//
// A plug-in is also the place for a program's own kinds that belong together with their hooks and their work in the
// background. [API.Start] starts that work; host.Run of package rest/host calls it.
//
// A Plugin value serves one API, because it usually keeps state about that API. Make another value for another API.
// [PluginParts] without state may serve several.
//
// A plug-in can wrap another plug-in. It calls Plug of the other plug-in, changes the parts, and returns them.
type Plugin interface {
	// Plug returns the parts that the plug-in adds to an API. [New] calls it once, before the API serves anything. Plug
	// keeps api for the functions among the parts, which may call it from the first request on. Plug starts nothing. It
	// returns an error if its configuration is wrong, or if it belongs to another API; New then returns that error.
	Plug(api PluginAPI) (PluginParts, error)
}

// PluginAPI is an API as its plug-ins see it. Its own methods are for the functions among the [PluginParts] of a
// plug-in, such as handlers of paths.
type PluginAPI struct{ *API }

// PluginParts are what a [Plugin] adds to an API. All fields but Name are optional. Later versions of this package may
// add fields.
//
// The API takes the parts of one sort after the host's own parts, which are in [Options] and among the arguments of
// [New], and in the order of [Options.Plugins]. This order decides which Admission runs first, which Authenticator and
// which Authorizer decides first, and what [API.Start] starts first.
//
// PluginParts is itself a Plugin, for a plug-in that needs no API.
type PluginParts struct {
	// Name names the plug-in in errors and in /readyz, such as "roles". Required.
	Name string
	// Definitions are the kinds that the plug-in needs. If the host declares a resource of the same group and plural, the
	// API serves that one instead.
	Definitions []Definition
	// Admission are hooks on the writes of all resources. They see the writes of New too, such as the creation of the
	// namespace "default".
	Admission []admission.Hook
	// Authenticator recognizes users. The API asks it about a request in which no earlier Authenticator recognizes a user
	// (see [access.Authenticators]). As with [Options.Authenticator], the API then refuses each request without valid
	// credentials.
	Authenticator access.Authenticator
	// Authorizer decides about accesses on which no earlier Authorizer has an opinion (see [access.Authorizers]). As with
	// [Options.Authorizer], the API then refuses what no Authorizer allows.
	Authorizer access.Authorizer
	// Observer observes the requests of the API.
	Observer observe.Observer
	// Limiter decides when the API works on requests, instead of [Limits.MaxInFlight]. At most one plug-in may have
	// one.
	Limiter access.Limiter
	// ExemptGroups are added to [Limits.ExemptGroups] unless the host sets them.
	ExemptGroups []string
	// HealthChecks are added to [Health.Checks].
	HealthChecks []observe.HealthCheck
	// Paths are handlers of paths outside of all resources, such as "/debug/watches". A path that ends with a slash stands
	// for all paths below too, and for itself without the slash. The API finds out the user of each request, gives it a
	// place, and asks the Authorizer for its verb, such as get, on its path, before it calls the handler. The context of
	// the request also ends with the API. A panic of the handler is a 500. If clients choose the size of a body or of an
	// answer, the handler calls [PluginAPI.ReadBody], [PluginAPI.TakeMemory] and [PluginAPI.Answer].
	Paths map[string]http.Handler
	// Start starts the work of the plug-in in the background and returns when the plug-in is ready. [API.Start] calls it.
	//
	// ctx ends when the API stops the plug-in, so goroutines that Start begins take it as theirs. It also ends if Start
	// fails, or if the context of API.Start ends before all plug-ins have started. After an error, nothing that Start
	// began may still run.
	Start func(ctx context.Context, api *API) error
	// Stop waits until the work that Start began has ended, for example with [Wait]. [API.Shutdown] calls it after the ctx
	// of Start has ended, while the API still accepts calls. Stop returns an error if its own ctx ends first; a later
	// Shutdown then calls it again. A plug-in with Stop has Start.
	Stop func(ctx context.Context) error
}

// Wait waits until goroutines have ended, or returns an error if ctx ends first. It is for the Stop of a plug-in.
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

// Plug implements [Plugin].
func (p PluginParts) Plug(PluginAPI) (PluginParts, error) { return p, nil }

// plug adds the parts of the plug-ins to the options of the host or of the front, and returns the definitions of the
// plug-ins.
func (a *API) plug(opening *front.Options) (definitions []Definition, err error) {
	var exempt []string
	checks := a.options.Health.Checks
	authenticators, authorizers := access.Authenticators{a.options.Authenticator}, access.Authorizers{a.options.Authorizer}
	for i, plugin := range a.options.Plugins {
		if plugin == nil {
			return nil, fmt.Errorf("Options.Plugins[%d] is nil", i)
		}
		parts, err := plugin.Plug(PluginAPI{a})
		if err == nil {
			err = parts.check()
		}
		if err != nil {
			return nil, fmt.Errorf("plug-in %T: %w", plugin, err)
		}
		if err := a.front.AddPaths(parts.Paths); err != nil {
			return nil, fmt.Errorf("plug-in %q: %w", parts.Name, err)
		}
		a.plugins.add(parts)
		definitions = append(definitions, parts.Definitions...)
		a.options.Admission = append(a.options.Admission, parts.Admission...)
		authenticators, authorizers = append(authenticators, parts.Authenticator), append(authorizers, parts.Authorizer)
		if err := a.limitBy(parts, opening); err != nil {
			return nil, err
		}
		exempt = append(exempt, parts.ExemptGroups...)
		checks = append(checks, parts.HealthChecks...)
		if parts.Observer != nil {
			opening.Observers = append(opening.Observers, parts.Observer)
		}
	}
	a.options.Authenticator = oneOf(authenticators, func(all []access.Authenticator) access.Authenticator { return access.Authenticators(all) })
	a.options.Authorizer = oneOf(authorizers, func(all []access.Authorizer) access.Authorizer { return access.Authorizers(all) })
	if a.options.Limits.ExemptGroups == nil {
		a.options.Limits.ExemptGroups = exempt
	}
	opening.Checks, err = a.checks(checks)
	return definitions, err
}

// oneOf returns several parts as one, or nil if all of them are nil.
func oneOf[T comparable](parts []T, several func([]T) T) (none T) {
	parts = slices.DeleteFunc(parts, func(p T) bool { return p == none })
	switch len(parts) {
	case 0:
		return none
	case 1:
		return parts[0]
	}
	return several(parts)
}

// limitBy makes the Limiter of a plug-in, if any, the Limiter of the API.
func (a *API) limitBy(parts PluginParts, opening *front.Options) error {
	switch {
	case parts.Limiter == nil:
		return nil
	case opening.Limiter != nil:
		return fmt.Errorf("plug-in %q has a Limiter, and so has an earlier one", parts.Name)
	}
	opening.Limiter = parts.Limiter
	a.flights.LiftLimit()
	return nil
}

// check returns an error if the parts contradict each other.
func (p *PluginParts) check() error {
	switch {
	case p.Name == "":
		return errors.New("Name is empty")
	case p.Stop != nil && p.Start == nil:
		return errors.New("Stop without Start")
	}
	return nil
}

// withoutReplaced returns the resources without the plug-ins' resources that the host declares itself. The first own
// resources belong to the host.
func withoutReplaced(resources []*front.Served, own int) []*front.Served {
	declared := func(res *front.Served) bool {
		return slices.ContainsFunc(resources[:own], func(o *front.Served) bool { return o.GR == res.GR })
	}
	return append(resources[:own:own], slices.DeleteFunc(resources[own:], declared)...)
}
