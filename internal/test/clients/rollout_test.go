package clients_test

import (
	"context"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/builtin"
	program "github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// instance is one of the programs behind the proxy.
type instance struct {
	url    *url.URL
	server *http.Server
	stop   context.CancelFunc
	ended  chan error
	dies   atomic.Bool // the next write breaks all connections
}

// balancer is a reverse proxy that keeps connections to its instances, and sends requests to those whose /readyz
// succeeds.
type balancer struct {
	transport *http.Transport
	broken    atomic.Int64 // requests without an answer of an instance

	mu        sync.Mutex
	instances map[*instance]bool // whether they are ready
}

// probe asks all instances now and then, until ctx ends.
func (b *balancer) probe(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	for ticks := time.NewTicker(20 * time.Millisecond); ; {
		b.mu.Lock()
		all := slices.Collect(maps.Keys(b.instances))
		b.mu.Unlock()
		for _, i := range all {
			answer, err := client.Get(i.url.JoinPath("/readyz").String())
			if err == nil {
				_ = answer.Body.Close()
			}
			b.mu.Lock()
			if _, there := b.instances[i]; there {
				b.instances[i] = err == nil && answer.StatusCode == http.StatusOK
			}
			b.mu.Unlock()
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			ticks.Stop()
			return
		}
	}
}

// choose returns the address of one of the instances that are ready, at random, or nil if none is.
func (b *balancer) choose() *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, ready := range b.instances { // the order of a map is random
		if ready {
			return i.url
		}
	}
	return nil
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target := b.choose()
	if target == nil {
		b.broken.Add(1)
		http.Error(w, "no instance is ready", http.StatusBadGateway)
		return
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(p *httputil.ProxyRequest) { p.SetURL(target) },
		FlushInterval: -1,
		Transport:     b.transport,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				b.broken.Add(1)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(w, r)
}

// start starts an instance over the store, and waits until the balancer uses it.
func (b *balancer) start(t *testing.T, store storage.Store) *instance {
	t.Helper()
	i := &instance{server: &http.Server{Addr: "127.0.0.1:0"}, ended: make(chan error, 1)}
	dies := admission.Hook{Name: "death", Validate: func(context.Context, *admission.Request) error {
		if i.dies.Swap(false) {
			return i.server.Close()
		}
		return nil
	}}
	api, err := rest.New(rest.Options{Store: store, Health: rest.Health{DrainTime: 3 * time.Second},
		Admission: []admission.Hook{dies}},
		k8s.Resource[corev1.ConfigMap](), builtin.Namespaces())
	require.NoError(t, err)
	var ctx context.Context
	ctx, i.stop = context.WithCancel(context.Background())
	ready := make(chan struct{})
	go func() {
		i.ended <- program.Run(ctx, api, program.Options{Server: i.server, NoLifecycle: true, Ready: func(address net.Addr) {
			i.url = &url.URL{Scheme: "http", Host: address.String()}
			close(ready)
		}})
	}()
	select {
	case <-ready:
	case err := <-i.ended:
		require.NoError(t, err)
	}
	b.mu.Lock()
	b.instances[i] = false
	b.mu.Unlock()
	require.Eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.instances[i]
	}, patience, time.Millisecond)
	return i
}

// end waits until an instance has ended.
func (b *balancer) end(t *testing.T, i *instance) {
	t.Helper()
	require.NoError(t, <-i.ended)
	b.mu.Lock()
	delete(b.instances, i)
	b.mu.Unlock()
}

// writer counts in two fields of a ConfigMap. It knows which of its writes must hold.
type writer struct {
	client corev1client.ConfigMapInterface
	failed *atomic.Int64 // writes that were not acknowledged
	object *corev1.ConfigMap
	held   int // the last count that a write was acknowledged with, or that was read
	writes int
	faults []string // observations that contradict the acknowledged writes
}

// run writes until ctx ends.
func (w *writer) run(ctx context.Context) {
	for ctx.Err() == nil {
		wanted := w.held + 1
		w.object.Data = map[string]string{"count": strconv.Itoa(wanted), "same": strconv.Itoa(wanted)}
		object, err := w.client.Update(context.Background(), w.object, metav1.UpdateOptions{})
		if err != nil {
			w.failed.Add(1)
			object = w.read(wanted)
		} else {
			w.held = wanted
			w.writes++
		}
		w.object = object
	}
	w.object = w.read(w.held)
}

// read reads the object, whose last write, of the count wanted, may have failed.
func (w *writer) read(wanted int) *corev1.ConfigMap {
	for {
		object, err := w.client.Get(context.Background(), w.object.Name, metav1.GetOptions{})
		if err != nil {
			continue // an instance has died, and the balancer does not know it yet
		}
		count, _ := strconv.Atoi(object.Data["count"])
		if object.Data["count"] != object.Data["same"] || count != w.held && count != wanted {
			w.faults = append(w.faults,
				"acknowledged "+strconv.Itoa(w.held)+", wrote "+strconv.Itoa(wanted)+", read "+object.Data["count"]+
					" and "+object.Data["same"])
		}
		w.held = count
		return object
	}
}

// errorsOf returns a ListWatch of config maps, which counts the ERROR events of its watches.
func errorsOf(client kubernetes.Interface, count *atomic.Int64) *cache.ListWatch {
	maps := client.CoreV1().ConfigMaps(metav1.NamespaceDefault)
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return maps.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			events, err := maps.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return watch.Filter(events, func(e watch.Event) (watch.Event, bool) {
				if e.Type == watch.Error {
					count.Add(1)
				}
				return e, true
			}), nil
		},
	}
}

// Instances behind a proxy are replaced one after the other under load. No informer sees an error event, no write
// fails, and what was acknowledged holds. In the end an instance dies during a write. This write, and others under way,
// have no answer, and each of them has been applied wholly or not at all.
func TestRollout(t *testing.T) {
	t.Parallel()
	store := memory.New(storage.Options{})
	defer func() { assert.NoError(t, store.Close()) }()
	b := &balancer{transport: &http.Transport{MaxIdleConnsPerHost: 10}, instances: map[*instance]bool{}}
	defer b.transport.CloseIdleConnections()
	var background sync.WaitGroup
	probing, stopProbing := context.WithCancel(context.Background())
	background.Go(func() { b.probe(probing) })
	defer background.Wait()
	defer stopProbing()
	instances := []*instance{b.start(t, store), b.start(t, store)}
	proxy := httptest.NewServer(b)
	defer proxy.Close()
	client, err := kubernetes.NewForConfig(&clientrest.Config{Host: proxy.URL, QPS: -1})
	require.NoError(t, err)
	configMaps := client.CoreV1().ConfigMaps(metav1.NamespaceDefault)

	informing, stopInforming := context.WithCancel(context.Background())
	var informers []cache.SharedIndexInformer
	var errorEvents atomic.Int64
	for range 8 {
		informer := cache.NewSharedIndexInformer(errorsOf(client, &errorEvents), &corev1.ConfigMap{}, 0, nil)
		background.Go(func() { informer.RunWithContext(informing) })
		informers = append(informers, informer)
	}
	defer stopInforming()

	writing, stopWriting := context.WithCancel(context.Background())
	var writers []*writer
	var failed atomic.Int64
	var working sync.WaitGroup
	for n := range 4 {
		object, err := configMaps.Create(t.Context(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "writer-" + strconv.Itoa(n)},
				Data: map[string]string{"count": "0", "same": "0"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		w := &writer{client: configMaps, failed: &failed, object: object}
		writers = append(writers, w)
		working.Go(func() { w.run(writing) })
	}
	defer working.Wait()
	defer stopWriting()
	for range 4 {
		instances = append(instances, b.start(t, store))
		instances[0].stop()
		b.end(t, instances[0])
		instances = instances[1:]
	}
	assert.Zero(t, b.broken.Load(), "no request goes without an answer during the rollout")
	assert.Zero(t, failed.Load(), "no write fails during the rollout")

	instances = append(instances, b.start(t, store))
	instances[0].dies.Store(true)
	b.end(t, instances[0])
	_, err = configMaps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "last"}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	stopWriting()
	working.Wait()

	writes := 0
	for _, w := range writers {
		assert.Empty(t, w.faults)
		assert.NotZero(t, w.writes)
		writes += w.writes
	}
	assert.NotZero(t, failed.Load(), "the instance died during a write")
	for _, informer := range informers {
		require.Eventually(t, func() bool {
			for _, w := range writers {
				seen, there, _ := informer.GetStore().GetByKey("default/" + w.object.Name)
				if !there || seen.(*corev1.ConfigMap).ResourceVersion != w.object.ResourceVersion {
					return false
				}
			}
			_, there, _ := informer.GetStore().GetByKey("default/last")
			return there
		}, patience, time.Millisecond, "the informer has everything")
	}
	assert.Zero(t, errorEvents.Load(), "no informer sees an error event")
	t.Logf("writes acknowledged: %d, not acknowledged: %d", writes, failed.Load())
	stopInforming()
	for _, i := range instances[1:] {
		i.stop()
		b.end(t, i)
	}
}
