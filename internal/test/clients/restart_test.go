package clients_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/decorum-go/decorum/storage"
)

// A host restarts with a memory store whose revisions are behind those of the previous store, because the clock was set
// back. A reflector learns that the server has not reached its version, lists again, and misses no later change.
func TestRestartBehind(t *testing.T) {
	withAndWithoutWatchList(t, func(t *testing.T, _ bool) {
		overBoth(t, func(t *testing.T, h *host) {
			t.Parallel()
			o := objects{t, h, corev1.SchemeGroupVersion.WithResource("configmaps")}
			o.create("kept", "lost")
			store := &toldStore{Store: cache.NewStore(cache.MetaNamespaceKeyFunc), told: make(chan struct{}, 100)}
			reflector := cache.NewReflectorWithOptions(impatient(h.typed(t).CoreV1().RESTClient()), &corev1.ConfigMap{}, store,
				cache.ReflectorOptions{})
			go reflector.RunWithContext(t.Context())
			shows := func(names ...string) func(struct{}) bool {
				return func(struct{}) bool { return slices.Equal(slices.Sorted(slices.Values(store.ListKeys())), names) }
			}
			await(t, store.told, "the existing objects", shows("default/kept", "default/lost"))
			o.create("last") // client-go would not resume a watch that ends soon without an event
			await(t, store.told, "what came", shows("default/kept", "default/last", "default/lost"))

			before := h.store.Revision()
			mend := h.wire.cut()
			h.start(t, storage.Options{MaxWait: 100 * time.Millisecond,
				Now: func() time.Time { return time.Now().Add(-time.Hour) }})
			require.Less(t, h.store.Revision(), before)
			o.create("kept", "new")
			mend()
			await(t, store.told, "the present objects", shows("default/kept", "default/new"))
			refused := h.wire.saw(func(e exchange) bool { return e.watches() && e.code == http.StatusGatewayTimeout })
			assert.NotEmpty(t, refused, "the server rejected the watch before its stream began")

			o.create("next")
			await(t, store.told, "what comes", shows("default/kept", "default/new", "default/next"))
		})
	})
}

// impatient lists and watches config maps. It passes a 504 to the reflector at once, instead of after ten attempts at
// intervals of a second.
func impatient(client clientrest.Interface) *cache.ListWatch {
	request := func(options *metav1.ListOptions) *clientrest.Request {
		return client.Get().Namespace(metav1.NamespaceDefault).Resource("configmaps").VersionedParams(options,
			scheme.ParameterCodec).MaxRetries(0)
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return request(&options).Do(ctx).Get()
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.Watch = true
			return request(&options).Watch(ctx)
		},
	}
}
