package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/exchange"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// API serves resources over HTTP. It is an [http.Handler]: the host mounts it in a server of its own, at the root or
// under a prefix with [http.StripPrefix]. An API opens no listener, and any number of APIs can live in one process.
//
// Its methods may be called by many goroutines at once.
type API struct {
	options   Options
	store     storage.Store
	ownsStore bool
	stores    []storage.Store // store, and those of Options.Stores
	env       *resource.Environment
	writes    *write.Writes
	budget    *storage.Budget
	exchanges *exchange.Exchanges
	ending    *delivery.Ending
	flights   *delivery.Flights
	rights    *rights.Rights
	plugins   *plugins
	front     *front.Front
}

// New returns an API that serves the given resources and those of [Options.Plugins]. If a declaration is wrong, the
// error names the kind and the field. New creates the objects that must exist from the start, such as the namespace
// "default" and singletons.
//
// New starts no goroutine: [API.Start] starts the plug-ins. When the host no longer needs the API, it calls
// [API.Shutdown] or [API.Close].
func New(options Options, definitions ...Definition) (*API, error) {
	a := newAPI(options)
	if err := a.begin(definitions); err != nil {
		a.end()
		return nil, errors.Join(fmt.Errorf("rest.New: %w", err), a.closeStore())
	}
	return a, nil
}

// newAPI returns an API that serves nothing yet. begin makes it serve.
func newAPI(options Options) *API {
	a := &API{options: options.withDefaults(), ending: delivery.NewEnding(), plugins: newPlugins()}
	a.flights = delivery.NewFlights(a.ending, a.options.Limits.MaxInFlight, a.options.Limits.MaxBodyBytes)
	a.rights = rights.NewRights(rights.Background{
		Context: a.ending, Enter: func() error { return a.flights.EnterCall(nil) },
		Leave: func() { a.flights.LeaveCall(nil) },
	}, a.options.Now)
	a.front = front.New(a.ending, a.flights, a.rights)
	a.budget = a.options.Limits.budget()
	caches := a.options.Limits.caches()
	a.store = a.options.Store
	if a.store == nil {
		a.store, a.ownsStore = memory.New(storage.Options{Now: a.options.Now}), true
	}
	a.stores = storesOf(a.store, a.options.Stores)
	a.env = resource.NewEnvironment(resource.Host{
		Owner: a, Holder: a.ending,
		Store: a.store, Stores: a.options.Stores, Now: a.options.Now, NewUID: a.options.NewUID, Logger: a.options.Logger,
		MaxObjectBytes: growth * a.options.Limits.MaxBodyBytes,
		Budget:         a.budget, Answers: a.budget.Part(maxAnswers), Borrower: a.front.BorrowerIn,
		MaxConvertedBytes: caches.converted, MaxDecodedBytes: caches.decoded,
		Queries:        a.options.Queries.limits(),
		UnsafeDeletion: a.options.UnsafeDeletion, Sharded: a.options.Sharded,
		Served: func() resource.Set { return a.front.Serving().Set },
		Begin: func() (context.Context, func(), error) {
			return &call{Context: context.Background(), host: a.options.HostUser}, func() { a.flights.LeaveCall(nil) },
				a.flights.EnterCall(nil)
		},
		UntilRetired: a.ending.UntilRetired, Types: &a.options.Types.known,
	})
	return a
}

// begin makes the API serve the resources of the definitions, and creates the objects that must exist before the
// first request.
func (a *API) begin(definitions []Definition) (err error) {
	for gr, store := range a.options.Stores {
		if store == nil {
			return fmt.Errorf("Options.Stores: the store of %s is nil", gr)
		}
	}
	var opening front.Options // plug adds the parts of the plug-ins, and opened the options of the host
	plugged, err := a.plug(&opening)
	if err != nil {
		return err
	}
	a.env.Authorizer = a.options.Authorizer
	a.writes = write.NewWrites(a.env, a.options.Admission)
	a.exchanges = exchange.NewExchanges(a.writes)
	if err := a.front.Open(a.opened(opening), a.writes, a.env); err != nil {
		return err
	}
	x := a.exchanges.Begin()
	next, err := a.next(func() (resources []*front.Served, err error) {
		for _, d := range slices.Concat(definitions, plugged) {
			res, err := a.build(d)
			if err != nil {
				return nil, err
			}
			resources = append(resources, res)
		}
		resources = withoutReplaced(resources, len(definitions))
		if !a.options.NoSelfReviews {
			reviews, err := a.selfReviewsBeside(resources)
			if err != nil {
				return nil, err
			}
			resources = append(resources, reviews...)
		}
		for _, res := range resources {
			x.Take(res.Resource)
		}
		return resources, nil
	})
	if err != nil {
		return err
	}
	var versions []*resource.Resource
	for _, res := range next.Kinds {
		versions = append(versions, res.EveryVersion()...)
	}
	if err := a.writes.CheckHooks(versions); err != nil {
		return err
	}
	a.front.Serve(next) // before Prepare, whose hooks may use all resources
	if err := x.Prepare(&call{Context: context.Background(), host: a.options.HostUser}); err != nil {
		return err
	}
	x.Complete()
	return nil
}

// opened adds the options of the host to the options of the front, which the plug-ins have already extended.
func (a *API) opened(o front.Options) front.Options {
	of := &a.options
	o.Authenticator, o.Authorizer, o.OpenHealth = of.Authenticator, of.Authorizer, of.Health.Open
	o.AllowedOrigins, o.AllowedHosts = of.Browsers.AllowedOrigins, of.Browsers.AllowedHosts
	o.ExemptGroups, o.RequestTimeout, o.MaxBodyBytes = of.Limits.ExemptGroups, of.Limits.RequestTimeout,
		of.Limits.MaxBodyBytes
	o.Now, o.Logger, o.CBOR, o.KeepManagedFields, o.Version = of.Now, of.Logger, of.CBOR, of.KeepManagedFields, of.Version
	caches := of.Limits.caches()
	o.MaxListBytes, o.MaxProtobufBytes = caches.lists, caches.messages
	return o
}

// RequestTimeout returns the time limit of a write, [Limits].RequestTimeout or its default. The WriteTimeout of the
// server must be longer.
func (a *API) RequestTimeout() time.Duration { return a.options.Limits.RequestTimeout }

// Authorizes reports whether an Authorizer decides about requests. Without one, every user may do everything. A plug-in
// that would give more away than objects asks for it when it answers a request, because later plug-ins may bring the
// Authorizer.
func (a PluginAPI) Authorizes() bool { return a.options.Authorizer != nil }

// NewUID returns a new uid, as [Options].NewUID does.
func (a PluginAPI) NewUID() string { return a.options.NewUID() }

// Shutdown drains the API for [Health].DrainTime, see [API.Drain]. Then it stops the plug-ins, in the reverse order of
// their start, ends all watches and streams, refuses new requests and calls with 503 ServiceUnavailable, waits for
// those in flight, and closes the store if the API created it. A watch ends as a complete answer without an error
// event, so its client watches again from where it was, at another replica.
//
// The host shuts its server down after Shutdown, which leaves the listener open: during the drain, load balancers still
// send requests.
//
// If ctx ends while requests are in flight, Shutdown returns an error that names them and wraps the context's error;
// the API stays closed to new requests, and Shutdown can be called again. If ctx is the context of a write's hook,
// Shutdown returns an error at once, because it would wait for the write that runs the hook.
func (a *API) Shutdown(ctx context.Context) error {
	if write.InHook(ctx, a.env) {
		a.end()
		return errors.New("rest: a hook of a write cannot wait until that write has ended: call Shutdown outside of hooks")
	}
	a.Drain()
	a.untilDrained(ctx)
	err := a.plugins.stopAll(ctx)
	a.end()
	return errors.Join(err, a.untilIdle(ctx))
}

// untilIdle waits for requests and calls, and then closes the store if the API created it.
func (a *API) untilIdle(ctx context.Context) error {
	idle := a.flights.Idle()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	select {
	case <-idle: // the context may have ended too, such as while a plug-in stopped
		return a.closeStore()
	default:
		return fmt.Errorf("rest: %s still under way: %w", a.flights, ctx.Err())
	}
}

// closeAfter is how long Close waits for requests and calls. It leaves the rest of Close's 5 seconds to the store.
const closeAfter = 4 * time.Second

// Close is [API.Shutdown] within 5 seconds and without a drain. It breaks off answers that clients of [RoundTripper] do
// not read. If a request or a call is still in flight after 4 seconds, because its client does not read or a hook does
// not return, Close closes the store nevertheless, if the API created it. The error then names the requests that the
// host's server has to end.
func (a *API) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeAfter)
	defer cancel()
	stopped := a.plugins.stopAll(ctx)
	a.end()
	a.flights.Hurry()
	err := a.untilIdle(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(err, a.closeStore())
	}
	return errors.Join(stopped, err)
}

// closeStore closes the store if the API created it.
func (a *API) closeStore() error {
	if a.ownsStore {
		return a.store.Close()
	}
	return nil
}

// end closes the API to requests and calls, and ends watches and streams. It may run several times.
func (a *API) end() {
	a.flights.End()
	if a.writes != nil { // it is nil if New fails early
		a.writes.Close()
	}
	a.budget.Close()
}

func (a *API) closing() bool { return a.ending.Err() != nil }

// ServeHTTP implements [http.Handler]. Every answer has a header Audit-ID, which the log of failed requests repeats.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.front.ServeHTTP(w, r) }

// Error answers a request with an error as the API does, with a Status in a form that the client accepts. For an error
// outside package status, the client receives a 500, and only the log contains the text. Middleware of the host calls
// Error to refuse a request before the API sees it.
func (a *API) Error(w http.ResponseWriter, r *http.Request, err error) { a.front.Error(w, r, err) }
