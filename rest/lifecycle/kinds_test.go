package lifecycle_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

type controller = func(context.Context, *rest.API, lifecycle.Options) error

var controllers = map[string]controller{
	"CollectGarbage": lifecycle.CollectGarbage, "EmptyNamespaces": lifecycle.EmptyNamespaces, "Expire": lifecycle.Expire,
	"EndGracePeriods": lifecycle.EndGracePeriods, "Run": lifecycle.Run,
}

// A controller without a resource to work on waits for one, and ends with its context or with the API.
func TestControllersWaitForResources(t *testing.T) {
	for name, run := range controllers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, err := rest.New(rest.Options{}, sites())
				require.NoError(t, err)
				ctx, stop := context.WithCancel(t.Context())
				var running sync.WaitGroup
				running.Go(func() { assert.NoError(t, run(ctx, api, lifecycle.Options{})) })
				running.Go(func() { assert.True(t, status.IsServiceUnavailable(run(t.Context(), api, lifecycle.Options{}))) })
				synctest.Wait()
				stop()
				synctest.Wait()
				require.NoError(t, api.Close())
				running.Wait()
			})
		})
	}
}

// The collector works on resources that the API takes after it has started, with every propagation policy.
func TestCollectGarbageOfLaterResources(t *testing.T) {
	for policy, want := range map[apimeta.DeletionPropagation][]string{
		apimeta.DeletePropagationBackground: {}, apimeta.DeletePropagationForeground: {},
		apimeta.DeletePropagationOrphan: {"a/dependent", "a/late"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			inWorld(t, lifecycle.CollectGarbage, rest.Options{}, []rest.Definition{sites()}, func(w *world) {
				w.site("s")
				w.settle()
				require.NoError(w, w.api.AddResources(w.Context(), parts()))
				w.part("a/dependent", blocking(w.refTo("", "s")))
				w.part("a/late", w.refTo("", "s"))
				w.delete("s", policy)
				w.settle()
				assert.Equal(w, want, w.left())

				w.part("a/owner")
				w.part("a/other", blocking(w.refTo("a", "owner")))
				w.delete("a/owner", policy)
				w.settle()
				if policy == apimeta.DeletePropagationOrphan {
					want = append(want[:1:1], "a/late", "a/other")
				}
				assert.Equal(w, want, w.left())
			})
		})
	}
}

// A dependent whose owner is of a kind that nobody serves is kept until the API serves the kind.
func TestDependentsOfALaterKind(t *testing.T) {
	inWorld(t, lifecycle.CollectGarbage, rest.Options{}, []rest.Definition{sites()}, func(w *world) {
		_, err := w.sites().Create(w.Context(),
			&Site{ObjectMeta: apimeta.ObjectMeta{Name: "s", OwnerReferences: []apimeta.OwnerReference{
				{APIVersion: "late.example.com/v1", Kind: "Late", Name: "never", UID: "never"}}}})
		require.NoError(w, err)
		w.settle()
		require.Equal(w, []string{"s:never"}, w.sitesLeft())
		require.NoError(w, w.api.AddResources(w.Context(), late(0)))
		w.settle()
		assert.Empty(w, w.sitesLeft())
	})
}

// Objects of resources that are not served at the moment may be dependents, so an owner is not removed with Foreground
// or Orphan.
func TestOwnersWaitForUnservedDependents(t *testing.T) {
	for policy, want := range map[apimeta.DeletionPropagation][]string{
		apimeta.DeletePropagationForeground: {}, apimeta.DeletePropagationOrphan: {"a/x"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			collecting(t, func(w *world) {
				w.site("s")
				w.part("a/x", blocking(w.refTo("", "s")))
				w.settle()
				require.NoError(w, w.api.WithdrawResources(w.Context(), partsResource()))
				w.settle()
				w.delete("s", policy)
				w.settle()
				assert.Equal(w, []string{"s!"}, w.sitesLeft())
				require.NoError(w, w.api.AddResources(w.Context(), parts()))
				w.settle()
				assert.Equal(w, want, w.left())
			})
		})
	}
}

// Late is a kind of definitions that come and go.
type Late Part

func late(n int) rest.Resource[Late] {
	return rest.Resource[Late]{Group: "late.example.com", Version: "v1", Plural: fmt.Sprint("lates", suffix(n)),
		Names: rest.Names{Kind: fmt.Sprint("Late", suffix(n))}, Scope: rest.ScopeCluster}
}

func suffix(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func (w *world) sitesLeft() []string {
	w.Helper()
	page, err := w.sites().List(w.Context(), rest.ListOptions{})
	require.NoError(w, err)
	out := []string{}
	for _, site := range page.Items {
		text := site.Name
		if site.DeletionTimestamp != nil {
			text += "!"
		}
		for _, o := range site.OwnerReferences {
			text += ":" + o.Name
		}
		out = append(out, text)
	}
	return out
}

// A resource is withdrawn at once after the last of its objects is deleted. The collector has seen the objects go, so
// it deletes their dependents, although it may look at them later.
func TestDependentsOfAWithdrawnKind(t *testing.T) {
	for _, n := range []int{1, 20, 300} {
		for round := range 4 {
			t.Run(fmt.Sprint(n, " owners, round ", round), func(t *testing.T) {
				inWorld(t, lifecycle.CollectGarbage, rest.Options{}, []rest.Definition{sites(), late(0)}, func(w *world) {
					synctest.Wait() // the collector follows the API
					lates := resttest.Client[Late](t, w.api)
					for i := range n {
						owner, err := lates.Create(w.Context(), &Late{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("o", i)}})
						require.NoError(w, err)
						w.site(fmt.Sprint("d", i),
							apimeta.OwnerReference{APIVersion: "late.example.com/v1", Kind: "Late", Name: owner.Name, UID: owner.UID})
					}
					if round > 0 {
						synctest.Wait()
					}
					_, err := lates.DeleteCollection(w.Context(), rest.DeleteOptions{}, rest.ListOptions{})
					require.NoError(w, err)
					require.NoError(w, w.api.WithdrawResources(w.Context(),
						apimeta.GroupResource{Group: "late.example.com", Resource: "lates"}))
					w.settle()
					assert.Empty(w, w.sitesLeft())
				})
			})
		}
	}
}

// heldStore holds the lists of one resource.
type heldStore struct {
	*memory.Store
	resource string
	held     chan struct{}
}

func (s *heldStore) List(ctx context.Context, options storage.Query, into []*storage.Record) (storage.Listing, error) {
	if options.Within.Resource == s.resource {
		<-s.held
	}
	return s.Store.List(ctx, options, into)
}

// While the collector reads another resource, an owner is deleted, and its kind gets another form and is withdrawn. The
// new form ends the history of the kind, but the collector still sees the owner go.
func TestDependentsOfAKindWithdrawnInAnotherForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &heldStore{Store: memory.New(storage.Options{}), resource: "lates1.late.example.com",
			held: make(chan struct{})}
		defer func() { assert.NoError(t, store.Close()) }()
		inBubble(t, lifecycle.CollectGarbage, rest.Options{Store: store}, []rest.Definition{sites(), late(0)},
			func(w *world) {
				lates := resttest.Client[Late](t, w.api)
				owner, err := lates.Create(w.Context(), &Late{ObjectMeta: apimeta.ObjectMeta{Name: "o"}})
				require.NoError(w, err)
				w.site("d", apimeta.OwnerReference{APIVersion: "late.example.com/v1", Kind: "Late", Name: owner.Name,
					UID: owner.UID})
				w.settle()
				require.NoError(w, w.api.AddResources(w.Context(), late(1)))
				synctest.Wait() // the collector reads the other resource
				require.NoError(w, lates.Delete(w.Context(), "o", rest.DeleteOptions{}))
				other := late(0)
				other.SelectableFields = []string{"spec.size"}
				require.NoError(w, w.api.ReplaceResources(w.Context(), other))
				require.NoError(w, w.api.WithdrawResources(w.Context(),
					apimeta.GroupResource{Group: "late.example.com", Resource: "lates"}))
				close(store.held)
				w.settle()
				assert.Empty(w, w.sitesLeft())
			})
	})
}

// readStore counts how often each resource is listed.
type readStore struct {
	*memory.Store
	mu    sync.Mutex
	lists map[string]int
}

func (s *readStore) List(ctx context.Context, options storage.Query, into []*storage.Record) (storage.Listing, error) {
	s.mu.Lock()
	s.lists[options.Within.Resource]++
	s.mu.Unlock()
	return s.Store.List(ctx, options, into)
}

// The controllers read a resource that comes, and nothing else again. A kind that is declared anew or comes back is
// read alone.
func TestEachResourceIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &readStore{Store: memory.New(storage.Options{}), lists: map[string]int{}}
		defer func() { assert.NoError(t, store.Close()) }()
		inBubble(t, lifecycle.Run, rest.Options{Store: store},
			[]rest.Definition{rest.NamespacesOf[Namespace](), parts(), sites()}, func(w *world) {
				for i := range 10 {
					w.part(fmt.Sprint("default/x", i))
				}
				synctest.Wait()
				clear(store.lists)
				const kinds = 300
				for i := range kinds {
					require.NoError(w, w.api.AddResources(w.Context(), late(i+1)))
					if i%3 == 0 {
						synctest.Wait()
					}
				}
				synctest.Wait()
				assert.Zero(w, store.lists["parts.example.com"])
				assert.Len(w, store.lists, kinds)
				for name, n := range store.lists {
					assert.LessOrEqual(w, n, 2, name) // the collector and the namespace controller each delete it once
				}
				clear(store.lists)
				wider := sites()
				wider.Names.Short = []string{"st"}
				wider.IndexedLabels = []string{"a"}
				for range 20 {
					w.site("s")
					require.NoError(w, w.api.ReplaceResources(w.Context(), wider))
					wider.SelectableFields = append(wider.SelectableFields, "spec.size")[:(len(wider.SelectableFields)+1)%2]
					require.NoError(w, w.sites().Delete(w.Context(), "s", rest.DeleteOptions{}))
					synctest.Wait()
				}
				assert.Zero(w, store.lists["parts.example.com"])
			})
	})
}

// A kind comes back with another scope.
func TestKindThatChangesItsScope(t *testing.T) {
	inWorld(t, lifecycle.Run, rest.Options{}, []rest.Definition{sites(), rest.NamespacesOf[Namespace](), late(0)},
		func(w *world) {
			lates := resttest.Client[Late](t, w.api)
			owner, err := lates.Create(w.Context(), &Late{ObjectMeta: apimeta.ObjectMeta{Name: "o"}})
			require.NoError(w, err)
			w.site("d", apimeta.OwnerReference{APIVersion: "late.example.com/v1", Kind: "Late", Name: owner.Name, UID: owner.UID})
			w.settle()
			require.NoError(w, lates.Delete(w.Context(), "o", rest.DeleteOptions{}))
			require.NoError(w, w.api.WithdrawResources(w.Context(),
				apimeta.GroupResource{Group: "late.example.com", Resource: "lates"}))
			namespaced := late(0)
			namespaced.Scope = rest.ScopeNamespaced
			require.NoError(w, w.api.AddResources(w.Context(), namespaced))
			lates = resttest.Client[Late](t, w.api)
			owner, err = lates.Namespace("default").Create(w.Context(), &Late{ObjectMeta: apimeta.ObjectMeta{Name: "o"}})
			require.NoError(w, err)
			_, err = lates.Namespace("default").Create(w.Context(),
				&Late{ObjectMeta: apimeta.ObjectMeta{Name: "d", OwnerReferences: []apimeta.OwnerReference{
					{APIVersion: "late.example.com/v1", Kind: "Late", Name: owner.Name, UID: owner.UID}}}})
			require.NoError(w, err)
			w.settle()
			assert.Empty(w, w.sitesLeft())
			require.NoError(w, lates.Namespace("default").Delete(w.Context(), "o",
				rest.DeleteOptions{PropagationPolicy: apimeta.DeletePropagationForeground}))
			w.settle()
			page, err := lates.List(w.Context(), rest.ListOptions{})
			require.NoError(w, err)
			assert.Empty(w, page.Items)
		})
}
