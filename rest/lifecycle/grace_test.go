package lifecycle_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// graceful returns the resource parts, whose grace period is 30 seconds.
func graceful() rest.Resource[Part] {
	r := parts()
	r.RemoveWhenDue = true
	r.Hooks.GracePeriod = func(_ context.Context, _ *Part, asked *int64) (int64, error) {
		if asked != nil {
			return *asked, nil
		}
		return 30, nil
	}
	return r
}

// cluster is several APIs that share a store, as replicas do, in a synctest bubble.
type cluster struct {
	*testing.T
	store *memory.Store
}

func inCluster(t *testing.T, f func(c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{t, memory.New(storage.Options{})}
		defer func() { assert.NoError(t, c.store.Close()) }()
		f(c)
	})
}

// start starts a replica, whose controllers run while it leads. stop ends it.
func (c *cluster) start(clock func() time.Time) (parts rest.Client[Part], stop func()) {
	c.Helper()
	api, err := rest.New(rest.Options{Store: c.store, Now: clock}, graceful(), builtin.Leases())
	require.NoError(c, err)
	ctx, cancel := context.WithCancel(c.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- election.Run(ctx, election.Options{Client: resttest.Client[builtin.Lease](c, api).Namespace("default"),
			Name: "parts"}, func(ctx context.Context) error { return lifecycle.Run(ctx, api, lifecycle.Options{}) })
	}()
	synctest.Wait()
	return resttest.Client[Part](c, api).Namespace("a"), func() {
		cancel()
		require.NoError(c, <-ended)
		require.NoError(c, api.Close())
	}
}

// endOf creates a part, deletes it, calls then, and returns how long after the deletion the part was gone.
func (c *cluster) endOf(client rest.Client[Part], then func()) (after time.Duration) {
	c.Helper()
	created, err := client.Create(c.Context(), &Part{ObjectMeta: apimeta.ObjectMeta{Name: "x"}})
	require.NoError(c, err)
	cursor, err := c.store.Watch(c.Context(), watch.Key{Resource: "parts.example.com"}, c.store.Revision())
	require.NoError(c, err)
	defer cursor.Close()
	began := time.Now()
	require.NoError(c, client.Delete(c.Context(), "x",
		rest.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: &created.UID}}))
	then()
	for {
		changes, err := cursor.Next(c.Context(), nil)
		require.NoError(c, err)
		for _, change := range changes {
			if change.Current == nil {
				return time.Since(began)
			}
		}
	}
}

// fraction is what the deletionTimestamp lacks of the time of the deletion, because it has whole seconds.
const fraction = time.Second

func TestAGracePeriodEndsOnWhicheverReplicaRemains(t *testing.T) {
	soon := int64(10)
	for name, test := range map[string]struct {
		then func(c *cluster, second rest.Client[Part], stopFirst, stopSecond func())
		want time.Duration
	}{
		"all replicas run": {func(*cluster, rest.Client[Part], func(), func()) {}, 30 * time.Second},
		"the replica with the DELETE, and the leader, ends": {func(_ *cluster, _ rest.Client[Part], stopFirst, _ func()) {
			stopFirst()
		}, 31 * time.Second},
		"the other one ends": {func(_ *cluster, _ rest.Client[Part], _, stopSecond func()) { stopSecond() },
			30 * time.Second},
		"the other one shortens the period": {func(c *cluster, second rest.Client[Part], _, _ func()) {
			require.NoError(c, second.Delete(c.Context(), "x", rest.DeleteOptions{GracePeriodSeconds: &soon}))
		}, 10 * time.Second},
		"the other one shortens the period and ends": {func(c *cluster, second rest.Client[Part], _, stopSecond func()) {
			require.NoError(c, second.Delete(c.Context(), "x", rest.DeleteOptions{GracePeriodSeconds: &soon}))
			stopSecond()
		}, 11 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(c *cluster) {
				first, stopFirst := c.start(nil)
				second, stopSecond := c.start(nil)
				var first1, second1 atomic.Bool
				once := func(done *atomic.Bool, stop func()) func() {
					return func() {
						if !done.Swap(true) {
							stop()
						}
					}
				}
				stopFirst, stopSecond = once(&first1, stopFirst), once(&second1, stopSecond)
				defer stopFirst()
				defer stopSecond()
				after := c.endOf(first, func() { test.then(c, second, stopFirst, stopSecond) })
				assert.InDelta(t, test.want, after, float64(fraction))
			})
		})
	}
}

// A replica whose clock is ahead removes an object early, but never twice, and never an object that only has the same
// name.
func TestManyReplicasEndAGracePeriodOnce(t *testing.T) {
	inCluster(t, func(c *cluster) {
		var clients []rest.Client[Part]
		for i := range 5 {
			client, stop := c.start(func() time.Time { return time.Now().Add(time.Duration(i) * time.Millisecond) })
			defer stop()
			clients = append(clients, client)
		}
		from := c.store.Revision()
		c.endOf(clients[0], func() {})
		again, err := clients[1].Create(t.Context(), &Part{ObjectMeta: apimeta.ObjectMeta{Name: "x"}})
		require.NoError(t, err)
		pass(time.Minute)
		found, err := clients[2].Get(t.Context(), "x")
		require.NoError(t, err)
		assert.Equal(t, again.UID, found.UID)
		assert.Empty(t, found.DeletionTimestamp)

		cursor, err := c.store.Watch(t.Context(), watch.Key{Resource: "parts.example.com"}, from)
		require.NoError(t, err)
		defer cursor.Close()
		changes, err := cursor.Poll(nil)
		require.NoError(t, err)
		assert.Len(t, changes, 4, "create, mark, remove, create")
	})
}

// stale is the store of a replica that lags behind: a read that does not ask for the most recent state shows an old
// one.
type stale struct {
	*memory.Store
	t *testing.T
}

func (s stale) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	assert.Equal(s.t, storage.MostRecent, atLeast, "a controller read %v from an old state", key)
	return s.Store.Get(ctx, key, atLeast)
}

func (s stale) List(ctx context.Context, q storage.Query, into []*storage.Record) (storage.Listing, error) {
	assert.NotEqual(s.t, storage.Any, q.Revision, "a controller listed %v from an old state", q.Within)
	return s.Store.List(ctx, q, into)
}

// A controller decides on the most recent state that an owner is absent, a namespace empty or a time past.
func TestControllersReadTheMostRecentState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := stale{memory.New(storage.Options{}), t}
		short := graceful()
		short.TimeToLive = time.Hour
		inBubble(t, lifecycle.Run, rest.Options{Store: store},
			[]rest.Definition{short, sites(), rest.NamespacesOf[Namespace]()}, func(w *world) {
				_, err := resttest.Client[Namespace](t, w.api).Create(t.Context(),
					&Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
				require.NoError(t, err)
				w.site("s")
				w.part("a/dependent", w.refTo("", "s"))
				w.part("a/other")
				w.delete("s", "")
				pass(2 * time.Minute)
				assert.Equal(t, []string{"a/other"}, w.left())
				require.NoError(t, resttest.Client[Namespace](t, w.api).Delete(t.Context(), "a", rest.DeleteOptions{}))
				pass(2 * time.Minute)
				assert.Empty(t, w.left())
			})
		require.NoError(t, store.Close())
	})
}
