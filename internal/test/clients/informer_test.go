package clients_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// informer is one of client-go's ways to follow a resource.
type informer struct {
	name     string
	resource schema.GroupVersionResource
	make     func(t *testing.T, h *host) cache.SharedIndexInformer
}

func informersUnderTest() []informer {
	configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
	return []informer{
		{"typed", configMaps, func(t *testing.T, h *host) cache.SharedIndexInformer {
			return informers.NewSharedInformerFactory(h.typed(t), 0).Core().V1().ConfigMaps().Informer()
		}},
		{"dynamic", siteResource, func(t *testing.T, h *host) cache.SharedIndexInformer {
			return dynamicinformer.NewDynamicSharedInformerFactory(h.dynamic(t), 0).ForResource(siteResource).Informer()
		}},
		{"metadata of a custom kind", siteResource, func(t *testing.T, h *host) cache.SharedIndexInformer {
			return metadatainformer.NewSharedInformerFactory(h.metadata(t), 0).ForResource(siteResource).Informer()
		}},
		{"metadata of a built-in kind", configMaps, func(t *testing.T, h *host) cache.SharedIndexInformer {
			return metadatainformer.NewSharedInformerFactory(h.metadata(t), 0).ForResource(configMaps).Informer()
		}},
	}
}

// withAndWithoutWatchList runs a test with both ways in which client-go gets the initial objects: from a watch, and
// from a list.
func withAndWithoutWatchList(t *testing.T, test func(t *testing.T, watchList bool)) {
	for _, on := range []bool{true, false} {
		t.Run("WatchList="+strconv.FormatBool(on), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, on)
			test(t, on)
		})
	}
}

// An informer reports every change. If the server ends its watch and has compacted the changes since, the informer
// lists again and reports the difference.
func TestInformers(t *testing.T) {
	withAndWithoutWatchList(t, func(t *testing.T, watchList bool) {
		for _, kind := range informersUnderTest() {
			t.Run(kind.name, inParallel(func(t *testing.T, h *host) {
				o := objects{t, h, kind.resource}
				o.create("early", "gone")
				informer := kind.make(t, h)
				seen := run(t, informer)
				awaitAll(t, seen, "added early", "added gone")
				require.Eventually(t, informer.HasSynced, patience, time.Millisecond)
				lists := h.wire.saw(func(e exchange) bool {
					return e.method == "GET" && !e.watches() && strings.HasSuffix(e.path, "/"+kind.resource.Resource)
				})
				assert.Equal(t, watchList, len(lists) == 0, "lists: %v", lists)
				require.Equal(t, 1, h.beginnings(kind.resource))

				o.create("late")
				awaitAll(t, seen, "added late")
				o.touch("late")
				awaitAll(t, seen, "updated late")
				o.delete("late")
				awaitAll(t, seen, "deleted late")

				// A watch that is only cut resumes at its position.
				mend := h.wire.cut()
				o.touch("early")
				mend()
				awaitAll(t, seen, "updated early")
				require.Equal(t, 1, h.beginnings(kind.resource), "the informer resumes without a list")

				mend = h.wire.cut()
				o.create("new")
				o.touch("early")
				o.delete("gone")
				h.forget(t)
				mend()
				awaitAll(t, seen, "added new", "updated early", "deleted gone")
				require.Equal(t, 2, h.beginnings(kind.resource), "the informer has listed again")

				o.touch("new")
				awaitAll(t, seen, "updated new")
				assert.ElementsMatch(t, []string{"default/early", "default/new"}, informer.GetStore().ListKeys())
			}))
		}
	})
}

// A resync reports every object again, unchanged.
func TestResync(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		objects{t, h, corev1.SchemeGroupVersion.WithResource("configmaps")}.create("one")
		informer := informers.NewSharedInformerFactory(h.typed(t), time.Second).Core().V1().ConfigMaps().Informer()
		same := make(chan bool, 100)
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
			same <- before.(*corev1.ConfigMap).ResourceVersion == after.(*corev1.ConfigMap).ResourceVersion
		}})
		require.NoError(t, err)
		run(t, informer)
		assert.True(t, await(t, same, "a resync", func(bool) bool { return true }))
	})
}

// A reflector fills any store, uses pages when it lists again, and knows its position.
func TestReflector(t *testing.T) {
	withAndWithoutWatchList(t, func(t *testing.T, watchList bool) {
		overBoth(t, func(t *testing.T, h *host) {
			t.Parallel()
			o := objects{t, h, corev1.SchemeGroupVersion.WithResource("configmaps")}
			var want []string
			create := func(name string) {
				o.create(name)
				want = append(want, "default/"+name)
			}
			for i := range 12 {
				create(fmt.Sprintf("m%02d", i))
			}
			lw := cache.NewListWatchFromClient(h.typed(t).CoreV1().RESTClient(), "configmaps", metav1.NamespaceDefault,
				fields.OneTermNotEqualSelector("metadata.name", "hidden"))
			store := &toldStore{Store: cache.NewStore(cache.MetaNamespaceKeyFunc), told: make(chan struct{}, 100)}
			reflector := cache.NewReflectorWithOptions(lw, &corev1.ConfigMap{}, store, cache.ReflectorOptions{})
			reflector.WatchListPageSize = 5
			go reflector.RunWithContext(t.Context())
			complete := func(struct{}) bool { return len(store.ListKeys()) == len(want) }
			await(t, store.told, "the existing objects", complete)
			first := reflector.LastSyncResourceVersion()

			o.create("hidden")
			create("shown")
			await(t, store.told, "what came", complete)

			mend := h.wire.cut()
			create("missed")
			h.forget(t)
			mend()
			await(t, store.told, "the missed changes", complete)
			assert.ElementsMatch(t, want, store.ListKeys())
			further := h.wire.saw(func(e exchange) bool { return strings.Contains(e.query, "continue=") })
			assert.Len(t, further, map[bool]int{true: 0, false: 2}[watchList], "pages after the first")

			create("last")
			await(t, store.told, "the last change", complete)
			assert.NotEqual(t, first, reflector.LastSyncResourceVersion())
		})
	})
}

// toldStore reports when an object is added to it.
type toldStore struct {
	cache.Store
	told chan struct{}
}

func (s *toldStore) Add(o any) error {
	defer func() { s.told <- struct{}{} }()
	return s.Store.Add(o)
}

func (s *toldStore) Replace(all []any, version string) error {
	defer func() { s.told <- struct{}{} }()
	return s.Store.Replace(all, version)
}

// run starts the informer until the end of the test, and returns the events that its handler receives.
func run(t *testing.T, informer cache.SharedIndexInformer) <-chan string {
	t.Helper()
	seen := make(chan string, 1000)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { seen <- "added " + nameOf(o) },
		UpdateFunc: func(_, o any) { seen <- "updated " + nameOf(o) },
		DeleteFunc: func(o any) { seen <- "deleted " + nameOf(o) },
	})
	require.NoError(t, err)
	ended := make(chan struct{})
	ctx := t.Context()
	go func() {
		defer close(ended)
		informer.RunWithContext(ctx)
	}()
	t.Cleanup(func() { <-ended })
	return seen
}

func nameOf(o any) string {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	return o.(metav1.Object).GetName()
}

// awaitAll expects exactly these events, in any order.
func awaitAll(t *testing.T, seen <-chan string, want ...string) {
	t.Helper()
	var got []string
	for range want {
		got = append(got, await(t, seen, strings.Join(want, ", "), func(string) bool { return true }))
	}
	require.ElementsMatch(t, want, got)
}

// objects writes objects of either resource.
type objects struct {
	t        *testing.T
	h        *host
	resource schema.GroupVersionResource
}

func (o objects) create(names ...string) {
	o.t.Helper()
	for _, name := range names {
		_, err := o.h.dynamic(o.t).Resource(o.resource).Namespace(metav1.NamespaceDefault).Create(o.t.Context(),
			newObject(o.t, o.resource, name), metav1.CreateOptions{})
		require.NoError(o.t, err)
	}
}

// newObject returns a new object of either resource.
func newObject(t *testing.T, resource schema.GroupVersionResource, name string) *unstructured.Unstructured {
	t.Helper()
	if resource == siteResource {
		return loose(t, newSite(name, "Title"))
	}
	m := configMap(name)
	m.APIVersion, m.Kind = "v1", "ConfigMap"
	return loose(t, m)
}

func (o objects) touch(name string) {
	o.t.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"touched":"%d"}}}`, o.h.store.Revision())
	_, err := o.h.dynamic(o.t).Resource(o.resource).Namespace(metav1.NamespaceDefault).Patch(o.t.Context(), name,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(o.t, err)
}

func (o objects) delete(name string) {
	o.t.Helper()
	require.NoError(o.t, o.h.dynamic(o.t).Resource(o.resource).Namespace(metav1.NamespaceDefault).Delete(o.t.Context(),
		name, metav1.DeleteOptions{}))
}
