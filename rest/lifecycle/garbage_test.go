package lifecycle_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

func TestCollectGarbage(t *testing.T) {
	const (
		background = apimeta.DeletePropagationBackground
		foreground = apimeta.DeletePropagationForeground
		orphan     = apimeta.DeletePropagationOrphan
	)
	for _, c := range []struct {
		name string
		do   func(w *world)
		want []string
	}{
		{"an object without owners stays", func(w *world) { w.part("a/x") }, []string{"a/x"}},
		{"a dependent stays as long as its owner", func(w *world) {
			w.part("a/owner")
			w.part("a/x", w.refTo("a", "owner"))
		}, []string{"a/owner", "a/x:owner"}},
		{"and is deleted with it", func(w *world) {
			w.part("a/owner")
			w.part("a/x", w.refTo("a", "owner"))
			w.part("a/y", w.refTo("a", "x"))
			w.delete("a/owner", background)
		}, []string{}},
		{"an owner that never existed", func(w *world) {
			w.part("a/x", apimeta.OwnerReference{APIVersion: "example.com/v1", Kind: "Part", Name: "none", UID: "u"})
		}, []string{}},
		{"another object with the owner's name", func(w *world) {
			w.part("a/owner")
			r := w.refTo("a", "owner")
			r.UID = "u"
			w.part("a/x", r)
		}, []string{"a/owner"}},
		{"an owner in another namespace does not count", func(w *world) {
			w.part("a/owner")
			w.part("b/x", w.refTo("a", "owner"))
		}, []string{"a/owner"}},
		{"a cluster-scoped owner", func(w *world) {
			w.site("s")
			w.part("a/x", w.refTo("", "s"))
			w.part("b/y", w.refTo("", "s"))
			w.settle()
			w.delete("s", background)
			w.part("a/z")
		}, []string{"a/z"}},
		{"a cluster-scoped object with a namespaced owner is never collected", func(w *world) {
			w.part("a/owner")
			w.site("s", w.refTo("a", "owner"))
			w.delete("a/owner", background)
		}, []string{"s:owner"}},
		{"an owner of a kind that the API does not serve", func(w *world) {
			w.part("a/x", apimeta.OwnerReference{APIVersion: "other.example.com/v1", Kind: "Part", Name: "none", UID: "u"})
		}, []string{"a/x:none"}},
		{"an owner in a version that is no longer served", func(w *world) {
			w.part("a/owner")
			r := w.refTo("a", "owner")
			r.APIVersion = "example.com/v1alpha1"
			w.part("a/x", r)
			w.part("a/y", apimeta.OwnerReference{APIVersion: "example.com/v1alpha1", Kind: "Part", Name: "none", UID: "u"})
		}, []string{"a/owner", "a/x:owner"}},
		{"one of two owners is enough, and the reference to the other is removed", func(w *world) {
			w.part("a/one")
			w.part("a/two")
			w.part("a/x", w.refTo("a", "one"), w.refTo("a", "two"))
			w.delete("a/one", background)
		}, []string{"a/two", "a/x:two"}},
		{"both of two owners are gone", func(w *world) {
			w.part("a/one")
			w.part("a/two")
			w.part("a/x", w.refTo("a", "one"), w.refTo("a", "two"))
			w.delete("a/one", background)
			w.delete("a/two", background)
		}, []string{}},
		{"an owner that is being deleted still counts", func(w *world) {
			w.make("a/owner", []string{"example.com/f"})
			w.part("a/x", w.refTo("a", "owner"))
			w.delete("a/owner", background)
		}, []string{"a/owner!", "a/x:owner"}},
		{"a dependent's finalizers hold it", func(w *world) {
			w.part("a/owner")
			w.make("a/x", []string{"example.com/f"}, w.refTo("a", "owner"))
			w.part("a/y", w.refTo("a", "x"))
			w.delete("a/owner", background)
		}, []string{"a/x!:owner", "a/y:x"}},
		{"an absent owner that is added later", func(w *world) {
			w.part("a/x")
			w.settle()
			_, err := w.parts().Namespace("a").Modify(w.Context(), "x", func(p *Part) error {
				p.OwnerReferences = []apimeta.OwnerReference{{APIVersion: "example.com/v1", Kind: "Part", Name: "none", UID: "u"}}
				return nil
			})
			require.NoError(w, err)
		}, []string{}},

		{"orphan removes the owner from the references", func(w *world) {
			w.part("a/owner")
			w.part("a/other")
			w.part("a/x", w.refTo("a", "owner"))
			w.part("a/y", w.refTo("a", "owner"), w.refTo("a", "other"))
			w.delete("a/owner", orphan)
		}, []string{"a/other", "a/x", "a/y:other"}},
		{"orphan without dependents", func(w *world) {
			w.part("a/owner")
			w.delete("a/owner", orphan)
		}, []string{}},
		{"orphans of an owner that a finalizer holds", func(w *world) {
			w.make("a/owner", []string{"example.com/f"})
			w.part("a/x", w.refTo("a", "owner"))
			w.delete("a/owner", orphan)
			w.settle()
			assert.Equal(w, []string{"a/owner!", "a/x"}, w.left())
			w.unfinalize("a/owner")
		}, []string{"a/x"}},

		{"foreground without dependents", func(w *world) {
			w.part("a/owner")
			w.delete("a/owner", foreground)
		}, []string{}},
		{"foreground deletes the dependents", func(w *world) {
			w.part("a/owner")
			w.part("a/x", blocking(w.refTo("a", "owner")))
			w.part("a/y", blocking(w.refTo("a", "x")))
			w.delete("a/owner", foreground)
		}, []string{}},
		{"foreground waits for blocking dependents", func(w *world) {
			w.part("a/owner")
			w.make("a/x", []string{"example.com/f"}, blocking(w.refTo("a", "owner")))
			w.delete("a/owner", foreground)
			w.settle()
			assert.Equal(w, []string{"a/owner!", "a/x!:owner"}, w.left())
			w.unfinalize("a/x")
		}, []string{}},
		{"foreground does not wait for other dependents", func(w *world) {
			w.part("a/owner")
			w.make("a/x", []string{"example.com/f"}, w.refTo("a", "owner"))
			w.delete("a/owner", foreground)
		}, []string{"a/x!:owner"}},
		{"foreground does not wait for dependents that no longer block", func(w *world) {
			w.part("a/owner")
			w.make("a/x", []string{"example.com/f"}, blocking(w.refTo("a", "owner")))
			w.delete("a/owner", foreground)
			w.settle()
			_, err := w.parts().Namespace("a").Modify(w.Context(), "x",
				func(p *Part) error { p.OwnerReferences[0].BlockOwnerDeletion = nil; return nil })
			require.NoError(w, err)
		}, []string{"a/x!:owner"}},
		{"a dependent with another owner stays without the reference", func(w *world) {
			w.part("a/owner")
			w.part("a/other")
			w.part("a/x", blocking(w.refTo("a", "owner")), w.refTo("a", "other"))
			w.delete("a/owner", foreground)
		}, []string{"a/other", "a/x:other"}},
		{"foreground waits at every level", func(w *world) {
			w.part("a/owner")
			w.part("a/x", blocking(w.refTo("a", "owner")))
			w.make("a/y", []string{"example.com/f"}, blocking(w.refTo("a", "x")))
			w.delete("a/owner", foreground)
			w.settle()
			assert.Equal(w, []string{"a/owner!", "a/x!:owner", "a/y!:x"}, w.left())
			w.unfinalize("a/y")
		}, []string{}},
		{"a cycle does not wait for itself", func(w *world) {
			w.part("a/one")
			w.part("a/two", blocking(w.refTo("a", "one")))
			_, err := w.parts().Namespace("a").Modify(w.Context(), "one", func(p *Part) error {
				p.OwnerReferences = []apimeta.OwnerReference{blocking(w.refTo("a", "two"))}
				return nil
			})
			require.NoError(w, err)
			w.settle()
			assert.Equal(w, []string{"a/one:two", "a/two:one"}, w.left())
			w.delete("a/one", foreground)
		}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			collecting(t, func(w *world) {
				c.do(w)
				w.settle()
				assert.Equal(t, c.want, w.left())
			})
		})
	}
}

// The collector starts from the existing objects, so it makes up for the time in which it did not run.
func TestCollectGarbageOfExistingObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, err := rest.New(rest.Options{}, parts(), sites())
		require.NoError(t, err)
		w := &world{T: t, api: api}
		for _, name := range []string{"one", "two", "three"} {
			w.part("a/" + name)
			w.part("a/of-"+name, blocking(w.refTo("a", name)))
		}
		w.delete("a/one", apimeta.DeletePropagationBackground)
		w.delete("a/two", apimeta.DeletePropagationForeground)
		w.delete("a/three", apimeta.DeletePropagationOrphan)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- lifecycle.CollectGarbage(ctx, api, lifecycle.Options{}) }()
		w.settle()
		assert.Equal(t, []string{"a/of-three"}, w.left())
		stop()
		assert.NoError(t, <-ended)

		// The collector can run again, and returns an error if the API closes.
		go func() { ended <- lifecycle.CollectGarbage(t.Context(), api, lifecycle.Options{}) }()
		synctest.Wait()
		require.NoError(t, api.Close())
		assert.ErrorContains(t, <-ended, "garbage collector: the server is shutting down")
	})
}

// After it has missed changes that the log no longer holds, the collector starts over.
func TestCollectGarbageAfterMissedChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(storage.Options{})
		gate, begun := &gatedStore{Store: store}, 0
		api, err := rest.New(rest.Options{Store: gate}, parts(), sites())
		require.NoError(t, err)
		w := &world{T: t, api: api}
		w.part("a/owner")
		w.part("a/x", w.refTo("a", "owner"))
		// The collector lists the parts and then blocks at the sites. The log drops what happens meanwhile.
		hold := make(chan struct{})
		gate.lists = func(ctx context.Context, resource string) {
			if resource == "sites.example.com" &&
				access.UserFrom(ctx).Name == "system:serviceaccount:kube-system:generic-garbage-collector" {
				begun++
				<-hold
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- lifecycle.CollectGarbage(ctx, api, lifecycle.Options{}) }()
		synctest.Wait()
		w.delete("a/owner", apimeta.DeletePropagationBackground)
		require.NoError(t, store.Compact(t.Context(), store.Revision()))
		close(hold)
		w.settle()
		assert.Equal(t, 2, begun)
		assert.Equal(t, []string{}, w.left())
		stop()
		assert.NoError(t, <-ended)
		require.NoError(t, api.Close())
		require.NoError(t, store.Close())
	})
}

// gatedStore lets a test block lists.
type gatedStore struct {
	*memory.Store
	lists func(ctx context.Context, resource string)
}

func (g *gatedStore) List(ctx context.Context, options storage.Query, into []*storage.Record) (storage.Listing, error) {
	if g.lists != nil {
		g.lists(ctx, options.Within.Resource)
	}
	return g.Store.List(ctx, options, into)
}

// The collector's writes pass through admission, and it retries after a rejection.
func TestCollectGarbageIsAdmitted(t *testing.T) {
	var allowed atomic.Bool
	var user atomic.Value
	options := rest.Options{Admission: []admission.Hook{{Name: "v", Operations: []admission.Operation{admission.Delete},
		Validate: func(_ context.Context, r *admission.Request) error {
			if user.Store(r.User.Name); !allowed.Load() && r.Name == "x" {
				return errors.New("not yet")
			}
			return nil
		}}}}
	inWorld(t, lifecycle.CollectGarbage, options, []rest.Definition{parts(), sites()}, func(w *world) {
		w.part("a/owner")
		w.part("a/x", w.refTo("a", "owner"))
		w.delete("a/owner", "")
		w.settle()
		assert.Equal(w, []string{"a/x:owner"}, w.left())
		assert.Equal(w, "system:serviceaccount:kube-system:generic-garbage-collector", user.Load())
		allowed.Store(true)
		w.settle()
		assert.Equal(w, []string{}, w.left())
	})
}

// A singleton cannot be deleted, whatever its owners.
func TestCollectGarbageSparesSingletons(t *testing.T) {
	sites := sites()
	sites.Singleton = "only"
	var log strings.Builder
	synctest.Test(t, func(t *testing.T) {
		api, err := rest.New(rest.Options{}, sites)
		require.NoError(t, err)
		client := resttest.Client[Site](t, api)
		_, err = client.Modify(t.Context(), "only", func(s *Site) error {
			s.OwnerReferences = []apimeta.OwnerReference{{APIVersion: "example.com/v1", Kind: "Site", Name: "none", UID: "u"}}
			return nil
		})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- lifecycle.CollectGarbage(ctx, api, lifecycle.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		}()
		synctest.Wait()
		_, err = client.Get(t.Context(), "only")
		require.NoError(t, err)
		stop()
		assert.NoError(t, <-ended)
		require.NoError(t, api.Close())
	})
	assert.Empty(t, log.String())
}
