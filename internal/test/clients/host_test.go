package clients_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// patience bounds every wait, so that a hang fails the test that caused it.
const patience = hangtest.Deadline

// host is an API, and the way in which clients reach it.
type host struct {
	config *clientrest.Config
	store  *memory.Store
	api    *rest.API
	lives  *lives
	wire   *wire

	defined bool // a CustomResourceDefinition describes Site
	defines bool // the host accepts CustomResourceDefinitions
}

// overBoth runs a test against a new host that clients reach over a socket, and against one that they reach by function
// calls.
func overBoth(t *testing.T, test func(t *testing.T, h *host)) {
	t.Run("http", func(t *testing.T) {
		h := newHost(t)
		web := httptest.NewServer(h.wire)
		t.Cleanup(func() {
			web.CloseClientConnections()
			web.Close()
		})
		h.config = &clientrest.Config{Host: web.URL, QPS: -1}
		test(t, h)
	})
	t.Run("in-process", func(t *testing.T) {
		test(t, inProcess(newHost(t)))
	})
}

// overAll is overBoth with a third host, whose kind Site arrives as a CustomResourceDefinition.
func overAll(t *testing.T, test func(t *testing.T, h *host)) {
	overBoth(t, test)
	t.Run("definition", func(t *testing.T) {
		test(t, inProcess(newHost(t, func(h *host) { h.defined = true })))
	})
}

// inProcess makes clients reach the host by function calls.
func inProcess(h *host) *host {
	h.config = &clientrest.Config{Host: "http://decorum", Transport: rest.RoundTripper(h.wire), QPS: -1}
	return h
}

// inParallel is overAll as a parallel test.
func inParallel(test func(t *testing.T, h *host)) func(t *testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		overAll(t, func(t *testing.T, h *host) {
			t.Parallel()
			test(t, h)
		})
	}
}

func newHost(t *testing.T, change ...func(h *host)) *host {
	h := &host{lives: new(lives)}
	for _, f := range change {
		f(h)
	}
	h.start(t, storage.Options{})
	h.wire = newWire(h.lives)
	return h
}

// start starts the host, or starts it again with a new store.
func (h *host) start(t *testing.T, options storage.Options) {
	store := memory.New(options)
	maps := k8s.Resource[corev1.ConfigMap]()
	maps.Wire.Sharded = true
	kinds := []rest.Definition{
		maps,
		builtin.Namespaces(),
		builtin.Leases(),
		builtin.Events(),
	}
	if !h.defined {
		kinds = append(kinds, sites())
	}
	plugins := []rest.Plugin{auth.Reviews()}
	if h.defines = h.defines || h.defined; h.defines {
		plugins = append(plugins, crd.New(crd.Options{}))
	}
	api, err := rest.New(rest.Options{Store: store, Authorizer: access.AuthorizerFunc(decide), Plugins: plugins}, kinds...)
	require.NoError(t, err)
	require.NoError(t, api.Start(t.Context()))
	t.Cleanup(func() {
		require.NoError(t, api.Close())
		require.NoError(t, store.Close())
	})
	h.store, h.api = store, api
	h.lives.api.Store(api)
	if h.defined {
		h.define(t, definitionOf(t, sites()))
	}
}

// lives holds the current API of a host that can be restarted.
type lives struct{ api atomic.Pointer[rest.API] }

func (l *lives) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.api.Load().ServeHTTP(w, r) }

// decide allows everything with three exceptions: bob may only read, no user may delete the object "kept", and no user
// may impersonate another.
func decide(_ context.Context, a access.Access) (access.Decision, error) {
	switch {
	case a.User.Name == "bob" && !slices.Contains([]access.Verb{"get", "list", "watch"}, a.Verb),
		a.Verb == "delete" && a.Name == "kept", a.Verb == "impersonate":
		return access.NoOpinion("not allowed here"), nil
	}
	return access.Allow("allowed here"), nil
}

// forget compacts the whole history, so that a client that resumes a watch gets 410.
func (h *host) forget(t *testing.T) {
	t.Helper()
	require.NoError(t, h.store.Compact(t.Context(), h.store.Revision()))
}

// overAnotherWire returns the same host with separate connections: cutting the watches of one does not affect the
// other.
func (h *host) overAnotherWire() *host {
	w := newWire(h.wire.api)
	return &host{store: h.store, api: h.api, wire: w,
		config: &clientrest.Config{Host: "http://decorum", Transport: rest.RoundTripper(w), QPS: -1}}
}

// beginnings returns how many times a client has requested all objects of a resource.
func (h *host) beginnings(resource schema.GroupVersionResource) int {
	return len(h.wire.saw(func(e exchange) bool {
		all := !e.watches() || strings.Contains(e.query, "sendInitialEvents=true")
		return all && e.method == http.MethodGet && strings.HasSuffix(e.path, "/"+resource.Resource)
	}))
}

func (h *host) typed(t *testing.T) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(h.config)
	require.NoError(t, err)
	return client
}

func (h *host) dynamic(t *testing.T) dynamic.Interface {
	t.Helper()
	client, err := dynamic.NewForConfig(h.config)
	require.NoError(t, err)
	return client
}

func (h *host) metadata(t *testing.T) metadata.Interface {
	t.Helper()
	client, err := metadata.NewForConfig(h.config)
	require.NoError(t, err)
	return client
}

// wire is between clients and the API. It records the requests, and can end the watches and hold back new ones.
type wire struct {
	api http.Handler

	mu       sync.Mutex
	passed   []exchange
	watches  context.Context
	tear     context.CancelFunc
	mayWatch chan struct{} // closed while watches may begin
	running  sync.WaitGroup
}

// exchange is a request and its response.
type exchange struct {
	method, path, query, sent, answered string
	code                                int
}

func newWire(api http.Handler) *wire {
	w := &wire{api: api, mayWatch: make(chan struct{})}
	close(w.mayWatch)
	w.watches, w.tear = context.WithCancel(context.Background())
	return w
}

func (e exchange) watches() bool { return strings.Contains(e.query, "watch=true") }

func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.RawQuery, "watch=true") {
		torn, ok := w.beginWatch(r.Context())
		if !ok {
			return
		}
		defer w.running.Done()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(torn, cancel)()
		r = r.WithContext(ctx)
	}
	noted := &notedWriter{ResponseWriter: rw, code: http.StatusOK}
	noted.began = func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.passed = append(w.passed, exchange{
			r.Method, r.URL.Path, r.URL.RawQuery,
			r.Header.Get("Content-Type"), rw.Header().Get("Content-Type"), noted.code,
		})
	}
	w.api.ServeHTTP(noted, r)
}

// beginWatch waits until a watch may begin. The watch must end with the returned context.
func (w *wire) beginWatch(ctx context.Context) (torn context.Context, ok bool) {
	for {
		w.mu.Lock()
		mayWatch := w.mayWatch
		select {
		case <-mayWatch:
			defer w.mu.Unlock()
			w.running.Add(1)
			return w.watches, true
		default:
			w.mu.Unlock()
		}
		select {
		case <-mayWatch:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// cut ends the watches, and holds back new ones until mend is called. After it returns, no watch sends anything.
func (w *wire) cut() (mend func()) {
	w.mu.Lock()
	blocked := make(chan struct{})
	w.mayWatch = blocked
	w.tear()
	w.watches, w.tear = context.WithCancel(context.Background())
	w.mu.Unlock()
	w.running.Wait()
	return func() { close(blocked) }
}

// saw returns the exchanges that satisfy a condition.
func (w *wire) saw(holds func(exchange) bool) []exchange {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []exchange
	for _, e := range w.passed {
		if holds(e) {
			out = append(out, e)
		}
	}
	return out
}

// notedWriter reports when the response begins, and its code.
type notedWriter struct {
	http.ResponseWriter
	once  sync.Once
	code  int
	began func()
}

func (w *notedWriter) WriteHeader(code int) {
	w.once.Do(func() {
		w.code = code
		w.began()
	})
	w.ResponseWriter.WriteHeader(code)
}

func (w *notedWriter) Write(p []byte) (int, error) {
	w.once.Do(w.began)
	return w.ResponseWriter.Write(p)
}

func (w *notedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// await receives values until one satisfies the condition. It fails the test if none arrives in time.
func await[T any](t *testing.T, values <-chan T, what string, holds func(T) bool) T {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case v, open := <-values:
			require.True(t, open, "the channel ended before: %s", what)
			if holds(v) {
				return v
			}
		case <-deadline:
			require.Fail(t, "not in time", what)
		}
	}
}
