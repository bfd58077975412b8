package lifecycle_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// perishable declares Parts, which expire after an hour, and Sites, which do not expire.
func perishable() []rest.Definition {
	short := parts()
	short.TimeToLive = time.Hour
	return []rest.Definition{short, sites()}
}

func expiring(t *testing.T, options rest.Options, f func(w *world)) {
	t.Helper()
	inWorld(t, expire(t, 0), options, perishable(), f)
}

// lines counts the lines that a logger writes.
type lines struct{ atomic.Int64 }

func (l *lines) Write(line []byte) (int, error) { l.Add(1); return len(line), nil }

// expire returns Expire. It fails the test unless Expire logs this many failures.
func expire(t *testing.T, failures int64) func(context.Context, *rest.API, lifecycle.Options) error {
	return func(ctx context.Context, api *rest.API, options lifecycle.Options) error {
		var logged lines
		options.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		err := lifecycle.Expire(ctx, api, options)
		assert.Equal(t, failures, logged.Load(), "failures")
		return err
	}
}

// pass advances the time, and waits until the controller has reacted.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// resize writes a Part, given as "namespace/name".
func (w *world) resize(name string, size int32) {
	w.Helper()
	_, err := w.parts().Namespace("a").Modify(w.Context(), name, func(p *Part) error { p.Spec.Size = size; return nil })
	require.NoError(w, err)
}

func TestExpireCountsFromTheLastWrite(t *testing.T) {
	expiring(t, rest.Options{}, func(w *world) {
		for _, name := range []string{"kept", "left", "same"} {
			w.part("a/" + name)
		}
		w.site("s")
		pass(30 * time.Minute)
		w.resize("kept", 1)
		w.resize("same", 0)
		pass(30*time.Minute - time.Second)
		assert.Equal(w, []string{"a/kept", "a/left", "a/same", "s"}, w.left())
		pass(time.Second)
		assert.Equal(w, []string{"a/kept", "s"}, w.left(), "a write that changes nothing does not count")
		pass(30*time.Minute - time.Second)
		assert.Equal(w, []string{"a/kept", "s"}, w.left())
		pass(time.Second)
		assert.Equal(w, []string{"s"}, w.left())
	})
}

// Finalizers and grace periods delay the removal of an expired object.
func TestExpiredObjectsEndAsOthersDo(t *testing.T) {
	short := parts()
	short.TimeToLive, short.RemoveWhenDue = time.Hour, true
	short.Hooks.GracePeriod = func(_ context.Context, p *Part, asked *int64) (int64, error) {
		if assert.Nil(t, asked); p.Name == "slow" {
			return 600, nil
		}
		return 0, nil
	}
	var deletions atomic.Int64
	short.Hooks.ValidateDelete = func(_ context.Context, p *Part) error {
		if p.Name == "held" {
			deletions.Add(1)
		}
		return nil
	}
	inWorld(t, expire(t, 0), rest.Options{}, []rest.Definition{short, sites()}, func(w *world) {
		w.make("a/held", []string{"example.com/f"})
		w.part("a/slow")
		pass(time.Hour)
		assert.Equal(w, []string{"a/held!", "a/slow!"}, w.left())
		pass(10 * time.Minute)
		assert.Equal(w, []string{"a/held!"}, w.left())
		pass(3 * time.Hour)
		w.unfinalize("a/held")
		assert.Empty(w, w.left())
		assert.EqualValues(w, 1, deletions.Load(), "it expires once")
	})
}

func TestExpireAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "parts.db")
		run := func(f func(w *world)) {
			store, err := bolt.Open(t.Context(), bolt.Options{Path: path})
			require.NoError(t, err)
			inBubble(t, expire(t, 0), rest.Options{Store: store}, perishable(), f)
			require.NoError(t, store.Close())
		}
		run(func(w *world) {
			w.part("a/early")
			pass(30 * time.Minute)
			w.part("a/late")
		})
		pass(40 * time.Minute)
		run(func(w *world) {
			synctest.Wait()
			assert.Equal(w, []string{"a/late"}, w.left())
			pass(20*time.Minute - time.Second)
			assert.Equal(w, []string{"a/late"}, w.left())
			pass(time.Second)
			assert.Empty(w, w.left())
		})
	})
}

// A write between the decision and the deletion starts a new time to live. Admission hooks see the controller as the
// user of the deletion.
func TestAWriteWinsAgainstExpiry(t *testing.T) {
	var w *world
	var seen []string
	options := rest.Options{Admission: []admission.Hook{{Name: "test",
		Validate: func(ctx context.Context, r *admission.Request) error {
			if r.Operation == admission.Delete {
				if seen = append(seen, access.UserFrom(ctx).Name); len(seen) == 1 {
					w.resize("x", 1)
				}
			}
			return nil
		}}}}
	inWorld(t, expire(t, 1), options, perishable(), func(running *world) {
		w = running
		w.part("a/x")
		pass(time.Hour + time.Minute)
		assert.Equal(w, []string{"a/x"}, w.left())
		pass(58 * time.Minute)
		assert.Equal(w, []string{"a/x"}, w.left())
		pass(time.Minute)
		assert.Empty(w, w.left())
		user := "system:serviceaccount:kube-system:ttl-controller"
		assert.Equal(w, []string{user, user}, seen)
	})
}

// Expire retries a refused deletion, which does not delay other deletions.
func TestExpireTriesAgain(t *testing.T) {
	var refuse atomic.Bool
	refuse.Store(true)
	short := parts()
	short.TimeToLive = time.Hour
	short.Hooks.ValidateDelete = func(_ context.Context, p *Part) error {
		if refuse.Load() && p.Name == "stuck" {
			return status.Forbidden(apimeta.GroupResource{}, p.Name, "not yet")
		}
		return nil
	}
	inWorld(t, expire(t, 27), rest.Options{}, []rest.Definition{short, sites()}, func(w *world) {
		w.part("a/stuck")
		w.part("a/x")
		pass(2 * time.Hour)
		assert.Equal(w, []string{"a/stuck"}, w.left())
		refuse.Store(false)
		pass(5 * time.Minute)
		assert.Empty(w, w.left())
	})
}

func TestExpireIsBoundedInTime(t *testing.T) {
	expiring(t, rest.Options{}, func(w *world) {
		for i := range 3000 {
			w.part(fmt.Sprint("a/x", i))
		}
		pass(time.Hour)
		for _, most := range []int{2900, 2800} {
			assert.Len(w, w.left(), most)
			w.site(fmt.Sprint(most)) // a change of another resource
			w.delete(fmt.Sprint(most), "")
			w.part("a/y") // this one is of the resource
			w.delete("a/y", "")
			pass(100 * time.Millisecond)
		}
		pass(3 * time.Second)
		assert.Empty(w, w.left())
	})
}

// jumpingClock is the time of the bubble with an offset.
type jumpingClock struct{ offset atomic.Int64 }

func (c *jumpingClock) Now() time.Time        { return time.Now().Add(time.Duration(c.offset.Load())) }
func (c *jumpingClock) jump(d time.Duration)  { c.offset.Add(int64(d)) }
func (c *jumpingClock) options() rest.Options { return rest.Options{Now: c.Now} }

func TestExpireWhenTheClockJumps(t *testing.T) {
	var clock jumpingClock
	expiring(t, clock.options(), func(w *world) {
		w.part("a/x")
		pass(time.Minute)
		clock.jump(50 * time.Minute)
		pass(10 * time.Second)
		assert.Equal(w, []string{"a/x"}, w.left())
		clock.jump(10 * time.Minute)
		pass(10 * time.Second)
		assert.Empty(w, w.left(), "an hour has passed by the clock")

		w.part("a/before")
		pass(10 * time.Minute)
		clock.jump(-24 * time.Hour)
		w.part("a/after")
		pass(time.Hour - time.Second)
		assert.Equal(w, []string{"a/after", "a/before"}, w.left())
		pass(11 * time.Second)
		assert.Empty(w, w.left(), "an object from the future counts as written now")
	})
}

// The clock was set back before the controller started. The controller must not wait for the apparent time of the last
// write.
func TestExpireObjectsFromTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock jumpingClock
		store := memory.New(storage.Options{Now: clock.Now})
		defer func() { require.NoError(t, store.Close()) }()
		options := clock.options()
		options.Store = store
		inBubble(t, expire(t, 0), options, perishable(), func(w *world) { w.part("a/x"); w.part("a/y") })
		clock.jump(-24 * time.Hour)
		inBubble(t, expire(t, 0), options, perishable(), func(w *world) {
			pass(30 * time.Minute)
			w.resize("y", 1)
			pass(30 * time.Minute)
			assert.Equal(w, []string{"a/y"}, w.left())
			pass(30 * time.Minute)
			assert.Empty(w, w.left())
			w.part("a/y")
			pass(time.Hour - time.Second)
			assert.Equal(w, []string{"a/y"}, w.left())
		})
	})
}

// The clock of package resttest stands still until the test moves it.
func TestExpireByTheClockOfATest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := resttest.New(t, perishable()...)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- lifecycle.Run(ctx, s.API, lifecycle.Options{}) }()
		client := resttest.Client[Part](t, s.API).Namespace("a")
		_, err := client.Create(ctx, &Part{ObjectMeta: apimeta.ObjectMeta{Name: "x"}})
		require.NoError(t, err)
		pass(24 * time.Hour)
		_, err = client.Get(ctx, "x")
		require.NoError(t, err)
		s.Clock.Advance(time.Hour)
		pass(10 * time.Second)
		_, err = client.Get(ctx, "x")
		require.True(t, status.IsNotFound(err), "%v", err)
		stop()
		require.NoError(t, <-ended)
	})
}

// scopes records the scopes of watches.
type scopes struct {
	*memory.Store
	watched []watch.Key
}

func (s *scopes) Watch(ctx context.Context, scope watch.Key, after watch.Revision,
	terms ...watch.Term) (watch.Cursor[storage.Record], error) {
	s.watched = append(s.watched, scope)
	return s.Store.Watch(ctx, scope, after, terms...)
}

func TestExpireFollowsOnlyWhatExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &scopes{Store: memory.New(storage.Options{})}
		inBubble(t, expire(t, 0), rest.Options{Store: store}, perishable(), func(w *world) { pass(time.Hour) })
		assert.Equal(t, []watch.Key{{Resource: "parts.example.com"}}, store.watched)
		require.NoError(t, store.Close())
	})
}

func TestTimeToLiveIsChecked(t *testing.T) {
	negative := parts()
	negative.TimeToLive = -1
	_, err := rest.New(rest.Options{}, negative)
	assert.ErrorContains(t, err, "TimeToLive -1ns: must be positive")
	single := sites()
	single.Singleton, single.TimeToLive = "only", time.Hour
	_, err = rest.New(rest.Options{}, single)
	assert.ErrorContains(t, err, "a virtual kind or a singleton cannot have one")

	api, err := rest.New(rest.Options{}, parts())
	require.NoError(t, err)
	require.NoError(t, api.Close())
	for _, run := range controllers {
		assert.True(t, status.IsServiceUnavailable(run(t.Context(), api, lifecycle.Options{})))
	}
}

// Under random writes, two replicas delete exactly the objects whose last write was an hour ago.
func TestExpireModel(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memory.New(storage.Options{})
				inBubble(t, expire(t, 0), rest.Options{Store: store}, perishable(), func(other *world) {
					inBubble(t, expire(t, 0), rest.Options{Store: store}, perishable(), func(w *world) {
						perish(w, rand.New(rand.NewPCG(seed, 2)))
					})
				})
				require.NoError(t, store.Close())
			})
		})
	}
}

func perish(w *world, random *rand.Rand) {
	written := map[string]time.Time{}
	sizes := map[string]int32{}
	for range 200 {
		name := fmt.Sprint("x", random.IntN(8))
		_, exists := written[name]
		switch what := random.IntN(10); {
		case what < 4:
			pass(time.Duration(random.IntN(15*60_000)) * time.Millisecond)
		case !exists:
			w.part("a/" + name)
			written[name], sizes[name] = time.Now(), 0
		case what < 8:
			size := int32(random.IntN(2))
			w.resize(name, size)
			if sizes[name] != size {
				written[name], sizes[name] = time.Now(), size
			}
		default:
			w.delete("a/"+name, "")
			delete(written, name)
		}
		synctest.Wait()
		want := []string{}
		for name, at := range written {
			if time.Since(at) >= time.Hour {
				delete(written, name)
			} else {
				want = append(want, "a/"+name)
			}
		}
		slices.Sort(want)
		require.Equal(w, want, w.left())
	}
}
