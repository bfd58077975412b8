package aggregated

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/internal/backoff"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// Cluster is the plug-in that makes an API a part of a cluster. It serves one API. It asks the cluster from
// [rest.API.Start] on, in the background: Start does not wait for the cluster. The check aggregated of /readyz fails
// until the plug-in has read and published everything once.
type Cluster struct {
	options Options
	clients clients
	plugged atomic.Bool

	trusted    atomic.Pointer[trust] // nil until the ConfigMap has been read
	changed    chan struct{}         // has a token after trusted has changed
	reviews    reviews
	open       openSessions
	serving    serving
	withoutTLS sync.Once
	namespaces *controller.Informer[namespace]
	missing    *missing
}

// New returns the plug-in for a cluster. It sends no request. It returns an error if an option is invalid.
func New(options Options) (*Cluster, error) {
	options, err := options.complete()
	if err != nil {
		return nil, fmt.Errorf("aggregated.New: %w", err)
	}
	c := &Cluster{options: options, changed: make(chan struct{}, 1), reviews: newReviews(options)}
	if c.clients, err = newClients(options); err != nil {
		return nil, fmt.Errorf("aggregated.New: %w", err)
	}
	c.namespaces = controller.NewInformer(c.clients.namespaces,
		controller.InformerOptions[namespace]{Logger: options.Logger})
	c.missing = newMissing(options)
	return c, nil
}

// Plug implements [rest.Plugin].
func (c *Cluster) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	if c.plugged.Swap(true) {
		return rest.PluginParts{}, errors.New("aggregated: the Cluster is a plug-in of another API already")
	}
	var running sync.WaitGroup
	parts := rest.PluginParts{
		Name:          "aggregated",
		Authenticator: access.AuthenticatorFunc(c.authenticate),
		Authorizer:    access.AuthorizerFunc(c.authorize),
		ExemptGroups:  []string{masters},
		HealthChecks:  []observe.HealthCheck{{Name: "aggregated", Check: c.missing.check}},
		Start: func(ctx context.Context, api *rest.API) error {
			if err := c.checkGroups(api); err != nil {
				return err
			}
			for _, work := range c.work(api) {
				running.Go(func() { work(ctx) })
			}
			return nil
		},
		Stop: func(ctx context.Context) error { return rest.Wait(ctx, &running) },
	}
	if !c.options.AnyNamespace {
		parts.Admission = []admission.Hook{{Name: "namespaces.aggregated",
			Operations: []admission.Operation{admission.Create},
			Validate:   c.checkNamespace}}
	}
	return parts, nil
}

// work returns what the plug-in does in the background, until its context ends.
func (c *Cluster) work(api *rest.API) []func(ctx context.Context) {
	all := []func(ctx context.Context){c.followTrust, c.connect,
		func(ctx context.Context) { c.recheck(ctx, api) }}
	if !c.options.AnyNamespace {
		all = append(all, c.followNamespaces)
	}
	if c.options.Publish != nil {
		all = append(all, func(ctx context.Context) { c.publish(ctx, api) })
	}
	return all
}

// What the plug-in needs before it is ready.
const (
	needsTrust      = "the ConfigMap kube-system/extension-apiserver-authentication"
	needsReviews    = "the reviews of the cluster"
	needsNamespaces = "the namespaces of the cluster"
	needsPublishing = "the certificate of the server and its APIServices"
)

// missing is what the plug-in waits for, with the reasons. Nothing is added to it later: a later failure shows in the
// requests that need the missing part, and a program that is not ready would get no requests.
type missing struct {
	log     *slog.Logger
	mu      sync.Mutex
	reasons map[string]error
}

func newMissing(o Options) *missing {
	m := &missing{log: o.Logger, reasons: map[string]error{needsTrust: errUnasked, needsReviews: errUnasked}}
	if !o.AnyNamespace {
		m.reasons[needsNamespaces] = errUnasked
	}
	if o.Publish != nil {
		m.reasons[needsPublishing] = errUnasked
	}
	return m
}

// These reasons are not worth a line in the log.
var (
	errUnasked = errors.New("not asked yet")
	errReading = errors.New("not read yet")
)

// set records that a part is there, if err is nil, or why it is missing. It logs each new reason once.
func (m *missing) set(what string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, waits := m.reasons[what]
	switch {
	case !waits:
	case err == nil:
		delete(m.reasons, what)
		m.log.Info("aggregated: the server has what it needs", "what", what, "missing", slices.Sorted(maps.Keys(m.reasons)))
	default:
		m.reasons[what] = err
		if err != errReading && before.Error() != err.Error() {
			m.log.Error("aggregated: the server is not ready, and tries again", "needs", what, "error", err,
				"hint", hint(what, err))
		}
	}
}

// hint names the role or the manifest that grants a missing right.
func hint(what string, err error) string {
	switch {
	case !status.IsForbidden(err):
		return ""
	case what == needsTrust:
		return "bind the Role extension-apiserver-authentication-reader of kube-system to the service account of the program"
	case what == needsReviews:
		return "bind the ClusterRole system:auth-delegator to the service account of the program"
	}
	return "docs/aggregated.md lists the rights that the program needs"
}

// check implements the health check.
func (m *missing) check(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for _, what := range slices.Sorted(maps.Keys(m.reasons)) {
		all = append(all, what+": "+m.reasons[what].Error())
	}
	if len(all) == 0 {
		return nil
	}
	return errors.New("the server needs " + strings.Join(all, "; "))
}

// connect requests what the plug-in needs from the cluster until it has received each part once.
func (c *Cluster) connect(ctx context.Context) {
	probes := map[string]func(ctx context.Context) error{needsTrust: c.probeTrust, needsReviews: c.probeReviews}
	if !c.options.AnyNamespace {
		probes[needsNamespaces] = c.probeNamespaces
	}
	retry(ctx, func(ctx context.Context) error {
		var errs []error
		for what, probe := range probes {
			err := probe(ctx)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c.missing.set(what, err)
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

// retry calls f until it succeeds or ctx ends, with the delays of an informer.
func retry(ctx context.Context, f func(ctx context.Context) error) {
	var delays backoff.Backoff
	for {
		err := f(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !pause(ctx, delays.Next(time.Now())) {
			return
		}
	}
}

// pause waits, and reports whether ctx is still valid.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// follow runs an informer until ctx ends. An informer gives up after a request that no retry makes valid, but here the
// server at the other end may be replaced.
func (c *Cluster) follow(ctx context.Context, what string, run func(ctx context.Context) error) {
	retry(ctx, func(ctx context.Context) error {
		err := run(ctx)
		if err != nil && ctx.Err() == nil {
			c.options.Logger.Error("aggregated: the server cannot follow the cluster, and tries again", "what", what,
				"error", err)
		}
		return err
	})
}

// unavailable is the error of a request about which the cluster cannot be asked now.
func unavailable(message string) *status.Error {
	e := status.ServiceUnavailable(message)
	e.Status.Details = &status.Details{RetryAfterSeconds: 1}
	return e
}
