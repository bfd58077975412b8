package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/julienschmidt/httprouter"

	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/page"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// API serves resources over HTTP. It is an [http.Handler]: the host mounts it in a server of its own, at the root or under a
// prefix with [http.StripPrefix]. An API opens no listener, and any number of APIs can live in one process.
//
// Its methods may be called by many goroutines at once.
type API struct {
	options   Options
	store     storage.Store
	ownsStore bool
	env       *resource.Environment
	types     *media.Types
	serving   atomic.Pointer[serving]
	ending    *delivery.Ending
	pages     *page.Policy

	mu       sync.Mutex
	inFlight int           // requests and calls in flight
	short    int           // requests in flight that count for MaxInFlight: no watches and no streams
	requests *request      // the newest request in flight, the head of a list
	idle     chan struct{} // closed when the API is ending and nothing is in flight
}

// New returns an API that serves the given resources. If a declaration is wrong, the error names the kind and the field. New
// creates the objects that must exist from the start, such as the namespace "default" and singletons.
//
// New starts no goroutine. When the host no longer needs the API, it calls [API.Shutdown] or [API.Close].
func New(options Options, definitions ...Definition) (*API, error) {
	a := newAPI(options)
	if err := a.begin(definitions); err != nil {
		a.env.Close()
		return nil, errors.Join(fmt.Errorf("rest.New: %w", err), a.closeStore())
	}
	return a, nil
}

// newAPI returns an API that serves nothing yet. begin makes it serve.
func newAPI(options Options) *API {
	a := &API{options: options.withDefaults(), idle: make(chan struct{}), ending: delivery.NewEnding()}
	a.types = media.NewTypes(a.options.CBOR)
	a.store = a.options.Store
	if a.store == nil {
		a.store, a.ownsStore = storage.NewMemory(storage.MemoryOptions{Now: a.options.Now}), true
	}
	a.env = resource.NewEnvironment(resource.Host{
		Owner: a,
		Store: a.store, Now: a.options.Now, NewUID: a.options.NewUID, Logger: a.options.Logger, MaxObjectBytes: growth * a.options.MaxBodyBytes,
		MaxConvertedBytes: a.options.MaxConvertedBytes, UnsafeDeletion: a.options.UnsafeDeletion, Admission: hooksOf(a.options.Admission),
		Served: func() resource.Set { return a.serving.Load().Set },
		Begin: func() (context.Context, func(), error) {
			return &call{Context: context.Background(), host: a.options.HostUser}, a.leaveCall, a.enterCall()
		},
	})
	return a
}

// begin makes the API serve the resources of the definitions, and creates the objects that must exist before the
// first request.
func (a *API) begin(definitions []Definition) (err error) {
	if a.pages, err = page.NewPolicy(a.options.AllowedOrigins); err != nil {
		return err
	}
	resources, err := a.resourcesOf(definitions)
	if err != nil {
		return err
	}
	serving := a.newServing(resources)
	a.serving.Store(serving)
	if err := serving.Begin(&call{Context: context.Background(), host: a.options.HostUser}); err != nil {
		return err
	}
	if s, ok := a.options.Authorizer.(interface{ Start(*API) error }); ok {
		return s.Start(a)
	}
	return nil
}

// resourcesOf builds the resources of an API, and checks that they and the admission hooks fit together.
func (a *API) resourcesOf(definitions []Definition) ([]*served, error) {
	var resources, versions []*served
	var kinds []*kind.Kind
	for _, d := range definitions {
		if d == nil {
			return nil, errors.New("a resource is nil")
		}
		res, err := d.resource(a.env)
		if err != nil {
			return nil, err
		}
		resources, versions, kinds = append(resources, res), append(versions, res.everyVersion()...), append(kinds, res.kindInEachGroup()...)
	}
	if err := kind.CheckNames(kinds); err != nil {
		return nil, err
	}
	return resources, checkHooks(a.options.Admission, versions)
}

// Shutdown ends all watches and streams, refuses new requests and calls with 503 ServiceUnavailable, waits for those in flight,
// and then closes the store if the API created it.
//
// If ctx ends first, Shutdown returns an error that names the requests in flight and wraps the context's error; the API stays
// closed to new requests, and Shutdown can be called again. If ctx is the context of a write's hook, Shutdown returns an error at
// once, because it would wait for the write that runs the hook.
func (a *API) Shutdown(ctx context.Context) error {
	a.end()
	if a.env.InHook(ctx) {
		return errors.New("rest: a hook of a write cannot wait until that write has ended: call Shutdown outside of hooks")
	}
	select {
	case <-a.idle:
		return a.closeStore()
	case <-ctx.Done():
		return fmt.Errorf("rest: %s still under way: %w", a.underWay(), ctx.Err())
	}
}

// Close is [API.Shutdown] within 5 seconds. It breaks off answers that clients of [RoundTripper] do not read. If a
// request or a call is still in flight after 4 seconds, because its client does not read or a hook does not return, Close closes
// the store nevertheless, if the API created it. The error then names the requests that the host's server has to end.
func (a *API) Close() error {
	a.end()
	a.hurryPipes()
	ctx, cancel := context.WithTimeout(context.Background(), closeAfter)
	defer cancel()
	err := a.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(err, a.closeStore())
	}
	return err
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
	defer a.ending.HurryAll() // runs after Unlock, so that hurrying does not hold up requests
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing() {
		return
	}
	a.ending.Begin(shuttingDown())
	a.env.Close()
	if a.inFlight == 0 {
		close(a.idle)
	}
}

func (a *API) closing() bool { return a.ending.Err() != nil }

// shuttingDown is the answer to requests and calls that arrive after Shutdown or Close.
func shuttingDown() error {
	return status.ServiceUnavailable("the server is shutting down").WithCause(delivery.ErrEnding)
}

// enter admits a request, or returns the error to answer with. Each request that it admits must leave.
func (a *API) enter(q *request) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closing():
		return shuttingDown()
	case a.short >= a.options.MaxInFlight:
		return status.TooManyRequests("Too many requests, please try again later.", 1)
	}
	a.inFlight++
	a.short++
	if q.behind = a.requests; q.behind != nil {
		q.behind.before = q
	}
	a.requests = q
	return nil
}

// enterCall admits a call of an in-process client. MaxInFlight does not limit these calls. Otherwise, a hook could not call the
// API if the request that runs the hook is the last one that MaxInFlight admits.
func (a *API) enterCall() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing() {
		return shuttingDown()
	}
	a.inFlight++
	return nil
}

// leaveShort frees the place of a request under MaxInFlight once it has turned out to be a watch or a stream.
func (a *API) leaveShort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.short--
}

// leave ends a request that enter admitted.
func (a *API) leave(q *request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !q.isWatch {
		a.short--
	}
	if q.before == nil {
		a.requests = q.behind
	} else {
		q.before.behind = q.behind
	}
	if q.behind != nil {
		q.behind.before = q.before
	}
	a.left()
}

// leaveCall ends a call that enterCall admitted.
func (a *API) leaveCall() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left()
}

// left ends a request or a call. The last one of a closing API wakes Shutdown. The caller holds mu.
func (a *API) left() {
	if a.inFlight--; a.inFlight == 0 && a.closing() {
		close(a.idle)
	}
}

// ServeHTTP implements [http.Handler]. A request is looked up by its path alone; the handler of the path decides about the
// method. It is answered from the resources that the API served when it arrived.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	serving := a.serving.Load()
	handle, params := serving.notFound, httprouter.Params(nil)
	path, ok := routePath(r.URL)
	if h, ps, _ := serving.router.Lookup(anyMethod, path); h != nil && (ok || ps.ByName(paramBelow) != "") {
		handle, params = h, ps
	}
	handle(w, r, params)
}
