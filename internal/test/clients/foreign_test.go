package clients_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic/dynamicinformer"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/foreign"
)

// rows are sites that another program writes.
type rows struct {
	mu      sync.Mutex
	all     map[string]Site
	changed chan foreign.Name
}

func (r *rows) set(name, title string) {
	site := newSite(name, title)
	site.Namespace = metav1.NamespaceDefault
	r.mu.Lock()
	r.all[name] = *site
	r.mu.Unlock()
	r.changed <- foreign.Name{}
}

func (r *rows) remove(name string) {
	r.mu.Lock()
	delete(r.all, name)
	r.mu.Unlock()
	r.changed <- foreign.Name{}
}

// serve makes the host serve the rows, as a new process does, and returns its store.
func (r *rows) serve(t *testing.T, h *host) *foreign.Store {
	t.Helper()
	resource := apimeta.GroupResource{Group: siteResource.Group, Resource: siteResource.Resource}
	store, err := foreign.Open(foreign.Options{}, foreign.Source[Site]{
		Resource: resource, Changed: r.changed, Every: time.Hour,
		List: func(context.Context) ([]Site, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return slices.Collect(maps.Values(r.all)), nil
		},
	})
	require.NoError(t, err)
	api, err := rest.New(rest.Options{Stores: map[apimeta.GroupResource]storage.Store{resource: store}}, sites())
	require.NoError(t, err)
	require.NoError(t, api.Start(t.Context()))
	t.Cleanup(func() {
		assert.NoError(t, api.Close())
		assert.NoError(t, store.Close())
	})
	h.lives.api.Store(api)
	return store
}

// An informer follows a kind whose objects live elsewhere. It resumes from revisions that the API has seen. From older
// ones, and after a restart, it lists again.
func TestInformerOfAForeignKind(t *testing.T) {
	withAndWithoutWatchList(t, func(t *testing.T, _ bool) {
		r := &rows{all: map[string]Site{}, changed: make(chan foreign.Name, 100)}
		r.set("early", "1")
		r.set("gone", "1")
		h := &host{lives: new(lives)}
		store := r.serve(t, h)
		h.wire = newWire(h.lives)
		inProcess(h)
		sites := h.dynamic(t).Resource(siteResource).Namespace(metav1.NamespaceDefault)
		shown := func(name string) {
			require.Eventually(t, func() bool {
				_, err := sites.Get(t.Context(), name, metav1.GetOptions{})
				return err == nil
			}, patience, time.Millisecond)
		}
		informer := dynamicinformer.NewDynamicSharedInformerFactory(h.dynamic(t), 0).ForResource(siteResource).Informer()
		seen := run(t, informer)
		awaitAll(t, seen, "added early", "added gone")
		r.set("late", "1")
		awaitAll(t, seen, "added late")
		r.set("late", "2")
		awaitAll(t, seen, "updated late")
		r.remove("late")
		awaitAll(t, seen, "deleted late")

		mend := h.wire.cut()
		r.set("early", "2")
		mend()
		awaitAll(t, seen, "updated early")
		require.Equal(t, 1, h.beginnings(siteResource), "the informer resumes without a list")

		mend = h.wire.cut()
		r.remove("gone")
		r.set("new", "1")
		shown("new")
		require.NoError(t, store.Compact(t.Context(), store.Revision()))
		mend()
		awaitAll(t, seen, "added new", "deleted gone", "updated early")
		require.Equal(t, 2, h.beginnings(siteResource), "the informer has listed again")

		mend = h.wire.cut()
		r.set("newest", "1")
		shown("newest")
		r.serve(t, h)
		mend()
		awaitAll(t, seen, "added newest", "updated early", "updated new")
		require.Greater(t, h.beginnings(siteResource), 2, "the new process does not know the revision")
		assert.ElementsMatch(t, []string{"default/early", "default/new", "default/newest"}, informer.GetStore().ListKeys())
	})
}

// client-go finds out what the source cannot do, and pages work.
func TestClientsOfAForeignKind(t *testing.T) {
	r := &rows{all: map[string]Site{}, changed: make(chan foreign.Name, 100)}
	r.set("a", "1")
	r.set("b", "1")
	h := &host{lives: new(lives)}
	r.serve(t, h)
	h.wire = newWire(h.lives)
	inProcess(h)
	found, err := discovery.NewDiscoveryClientForConfigOrDie(h.config).ServerResourcesForGroupVersion(
		siteResource.GroupVersion().String())
	require.NoError(t, err)
	for _, resource := range found.APIResources {
		if resource.Name == siteResource.Resource {
			assert.ElementsMatch(t, []string{"get", "list", "watch"}, []string(resource.Verbs))
			assert.Empty(t, resource.StorageVersionHash)
		}
	}
	sites := h.dynamic(t).Resource(siteResource).Namespace(metav1.NamespaceDefault)
	_, err = sites.Create(t.Context(), newObject(t, siteResource, "c"), metav1.CreateOptions{})
	assert.True(t, apierrors.IsMethodNotSupported(err), "%v", err)
	first, err := sites.List(t.Context(), metav1.ListOptions{Limit: 1})
	require.NoError(t, err)
	require.Len(t, first.Items, 1)
	second, err := sites.List(t.Context(), metav1.ListOptions{Limit: 1, Continue: first.GetContinue()})
	require.NoError(t, err)
	require.Len(t, second.Items, 1)
	assert.Equal(t, []string{"a", "b"}, []string{first.Items[0].GetName(), second.Items[0].GetName()})
	assert.Empty(t, second.GetContinue())
}
