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
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// API serves resources over HTTP. It is an [http.Handler] that a host mounts where it likes, under a prefix with
// [http.StripPrefix] or at the root; it opens no listener of its own. Any number of APIs can live in one process.
type API struct {
	options   Options
	store     storage.Store
	ownsStore bool
	env       *resource.Environment
	types     *media.Types
	serving   atomic.Pointer[serving]
	ending    *delivery.Ending

	mu       sync.Mutex
	inFlight int           // requests and calls under way
	short    int           // those of them that are no watches
	requests *request      // the last that came of those that are requests
	idle     chan struct{} // closed when ending and nothing is in flight
}

// New makes an API of these resources. It returns an error that names the kind and the field where something cannot
// work, and starts no goroutine.
func New(options Options, definitions ...Definition) (*API, error) {
	a := newAPI(options)
	if err := a.begin(definitions); err != nil {
		a.env.Close()
		return nil, errors.Join(fmt.Errorf("rest.New: %w", err), a.closeStore())
	}
	return a, nil
}

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
			return a.asHost(context.Background()), a.leaveCall, a.enterCall()
		},
	})
	return a
}

// begin serves the resources of the definitions, in place of those that were served before, and makes what has to be there
// before the first request.
func (a *API) begin(definitions []Definition) error {
	resources, err := a.resourcesOf(definitions)
	if err != nil {
		return err
	}
	serving := a.newServing(resources)
	a.serving.Store(serving)
	return serving.Begin(a.asHost(context.Background()))
}

// resourcesOf builds the resources of an API and checks them together.
func (a *API) resourcesOf(definitions []Definition) ([]*served, error) {
	var resources, versions []*served
	for _, d := range definitions {
		if d == nil {
			return nil, errors.New("a resource is nil")
		}
		res, err := d.resource(a.env)
		if err != nil {
			return nil, err
		}
		resources, versions = append(resources, res), append(versions, res.everyVersion()...)
	}
	if err := checkTogether(resources); err != nil {
		return nil, err
	}
	return resources, checkHooks(a.options.Admission, versions)
}

// checkTogether finds names that two resources of one group have in common.
func checkTogether(resources []*served) error {
	taken := map[string]string{}
	for _, res := range resources {
		names := append([]string{res.GR.Resource, res.Kind.Singular}, res.Kind.ShortNames...)
		for i, name := range names {
			key := res.GR.Group + "/" + name
			if other, ok := taken[key]; ok && other != res.GVK.Kind {
				return fmt.Errorf("kind %q: the name %q is that of %q in the same group", res.GVK.Kind, name, other)
			} else if ok && i == 0 {
				return fmt.Errorf("kind %q: declared twice", res.GVK.Kind)
			}
			taken[key] = res.GVK.Kind
		}
		if kind := res.GR.Group + "/" + res.GVK.Kind; taken[kind] != "" {
			return fmt.Errorf("kind %q: declared twice", res.GVK.Kind)
		} else {
			taken[kind] = res.GVK.Kind
		}
	}
	return nil
}

// Shutdown ends all watches, takes no more requests and waits for those under way, then closes what the API owns. If the context
// ends first, Shutdown returns an error that names what is under way and wraps the context's error; the API is then still shutting
// down. With the context of a hook it returns an error at once, because it would wait for the write that runs the hook.
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

// Close is Shutdown that returns within 5 seconds. It breaks off the answers that clients of [RoundTripper] do not read. If a
// request or a call is still under way then, because its client does not read or a hook does not return, Close closes what the
// API owns all the same, and returns an error that names what it leaves to the host's server to end.
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

func (a *API) closeStore() error {
	if a.ownsStore {
		return a.store.Close()
	}
	return nil
}

func (a *API) end() {
	defer a.ending.HurryAll() // when closing can be seen
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

// shuttingDown is the answer to requests and calls that come too late.
func shuttingDown() error {
	return status.ServiceUnavailable("the server is shutting down").WithCause(delivery.ErrEnding)
}

// enter lets a request in, or says why not.
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

// enterCall lets a call of an in-process client in. Such calls are the host's own and have no bound.
func (a *API) enterCall() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing() {
		return shuttingDown()
	}
	a.inFlight++
	return nil
}

// asHost returns the context of a call that the host makes by itself. A user who is in it already stays: the host then
// acts for that user.
func (a *API) asHost(ctx context.Context) context.Context {
	return context.WithValue(ctx, hostUserKey{}, a.options.HostUser)
}

// leaveShort takes a request that has turned out to be a watch out of the bound on short ones.
func (a *API) leaveShort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.short--
}

// leave is called at the end of what enter has let in.
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

// leaveCall is called at the end of what enterCall has let in.
func (a *API) leaveCall() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left()
}

func (a *API) left() {
	if a.inFlight--; a.inFlight == 0 && a.closing() {
		close(a.idle)
	}
}

// ServeHTTP implements [http.Handler]. From here a GET is three functions away from the stored bytes: the route, the
// verb, the store.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	serving := a.serving.Load()
	handle, params := serving.notFound, httprouter.Params(nil)
	path, ok := routePath(r.URL)
	if h, ps, _ := serving.router.Lookup(anyMethod, path); h != nil && (ok || ps.ByName(paramBelow) != "") {
		handle, params = h, ps
	}
	handle(w, r, params)
}
