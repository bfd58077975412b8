package lifecycle_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// busyStore performs writes whenever it is listed, and keeps only the last 100 changes.
type busyStore struct {
	*memory.Store
	writes func(listed int) int // how many writes, given the number of objects in the list
	lists  atomic.Int64
}

func (s *busyStore) List(ctx context.Context, options storage.Query, into []*storage.Record) (storage.Listing, error) {
	page, err := s.Store.List(ctx, options, into)
	n := s.lists.Add(1)
	for i := range s.writes(len(page.Records)) {
		_, err := s.Update(ctx, storage.Key{Resource: "sites.example.com", Name: "busy"},
			func(*storage.Record) ([]byte, error) {
				return fmt.Appendf(nil, `{"metadata":{"name":"busy","uid":"busy","resourceVersion":"","labels":{"n":"%d.%d"}}}`, n,
					i), nil
			})
		if err != nil {
			return page, err
		}
		if err := s.Compact(ctx, s.Revision()-100); err != nil {
			return page, err
		}
	}
	return page, err
}

// However long it takes to list all objects, and however few changes the store keeps meanwhile, the collector gets to
// work. If the history is shorter than the listing of one page takes, it retries with growing delays.
func TestListingLongerThanTheHistory(t *testing.T) {
	const objects = 3000
	for _, c := range []struct {
		name   string
		writes func(listed int) int
		calm   time.Duration // when the writes end
		most   int64         // the largest number of lists
	}{
		{"history longer than a page", func(listed int) int { return listed / 10 }, 0, 20},
		{"history shorter than a page", func(int) int { return 300 }, 10 * time.Minute, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &busyStore{Store: memory.New(storage.Options{Start: 1000}), writes: func(int) int { return 0 }}
				api, err := rest.New(rest.Options{Store: store}, parts(), sites())
				require.NoError(t, err)
				client := resttest.Client[Part](t, api).Namespace("a")
				never := apimeta.OwnerReference{APIVersion: "example.com/v1", Kind: "Part", Name: "never", UID: "never"}
				for i := range objects {
					part := &Part{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("x", i)}}
					if i == objects/2 {
						part.OwnerReferences = []apimeta.OwnerReference{never}
					}
					_, err := client.Create(t.Context(), part)
					require.NoError(t, err)
				}
				store.lists.Store(0)
				ctx, stop := context.WithCancel(t.Context())
				until := time.Now().Add(c.calm)
				store.writes = func(listed int) int {
					if store.lists.Load() > c.most {
						stop() // otherwise the retries would never end, and the fake time would not advance
					}
					if c.calm > 0 && time.Now().After(until) {
						return 0
					}
					return c.writes(listed)
				}
				ended := make(chan error, 1)
				go func() { ended <- lifecycle.CollectGarbage(ctx, api, lifecycle.Options{}) }()
				<-time.After(2*c.calm + time.Minute)
				synctest.Wait()
				assert.LessOrEqual(t, store.lists.Load(), c.most)
				page, err := client.List(t.Context(), rest.ListOptions{})
				require.NoError(t, err)
				assert.Equal(t, objects-1, len(page.Items))
				stop()
				require.NoError(t, <-ended)
				require.NoError(t, api.Close())
				require.NoError(t, store.Close())
			})
		})
	}
}

// laggingStore is a replica that lags behind: it does not know an owner yet, and lists nothing, unless the caller asks
// for the most recent state.
type laggingStore struct{ *memory.Store }

func (s laggingStore) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	if atLeast == storage.Any && key.Name == "owner" {
		return nil, storage.ErrNotFound
	}
	return s.Store.Get(ctx, key, atLeast)
}

func (s laggingStore) List(ctx context.Context, options storage.Query,
	into []*storage.Record) (storage.Listing, error) {
	if options.Revision == storage.Any {
		return storage.Listing{Records: into, Revision: s.Revision()}, nil
	}
	return s.Store.List(ctx, options, into)
}

// The controllers must decide that an owner is absent, or a namespace empty, on the most recent state.
func TestControllersDecideOnTheMostRecentState(t *testing.T) {
	for name, run := range map[string]func(context.Context, *rest.API, lifecycle.Options) error{
		"CollectGarbage": lifecycle.CollectGarbage, "EmptyNamespaces": lifecycle.EmptyNamespaces,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := laggingStore{memory.New(storage.Options{})}
				defer func() { require.NoError(t, store.Close()) }()
				inBubble(t, run, rest.Options{Store: store}, []rest.Definition{rest.NamespacesOf[Namespace](), parts(), sites()},
					func(w *world) {
						namespaces := resttest.Client[Namespace](t, w.api)
						_, err := namespaces.Create(w.Context(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
						require.NoError(w, err)
						w.part("a/owner")
						w.make("a/held", []string{"example.com/f"}, w.refTo("a", "owner"))
						w.settle()
						require.Equal(w, []string{"a/held:owner", "a/owner"}, w.left())
						require.NoError(w, namespaces.Delete(w.Context(), "a", rest.DeleteOptions{}))
						w.settle()
						_, err = namespaces.Get(w.Context(), "a")
						require.NoError(w, err, "the namespace is not empty")
					})
			})
		})
	}
}
