package engine_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// stores are the kinds of engines, each with pods and a MaxLogAge of two seconds.
var stores = map[string]func(t *testing.T) *engine.Engine{
	"memory": func(t *testing.T) *engine.Engine { return engine.New(briefly()) },
	"durable": func(t *testing.T) *engine.Engine {
		nothing := func(*platter) error { return nil }
		m, err := engine.Open(t.Context(), &disk{platter: newPlatter(), before: nothing, after: nothing}, briefly())
		require.NoError(t, err)
		return m
	},
	"replica": func(t *testing.T) *engine.Engine { return openReplica(t, &replica{truth: newTruth()}, briefly()) },
}

func briefly() storage.Options { return storage.Options{MaxLogAge: 2 * time.Second} }

func TestHistoryEndsByTimeWithoutWrites(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := open(t)
				require.NoError(t, m.Register(t.Context(), podResource))
				first := put(t, m, "x", 100_000)
				old, at := weak.Make(first), first.Revision
				put(t, m, "y", 1)
				scope := watch.Key{Resource: pods}
				page, err := m.List(t.Context(), storage.Query{Within: scope, Limit: 1}, nil)
				require.NoError(t, err)
				require.NotZero(t, page.Revision)
				put(t, m, "x", 1)
				require.True(t, readable(m, at))

				<-time.After(2 * time.Second)
				synctest.Wait()
				require.NotZero(t, m.StoreStats().History.Changes, "exactly as old as allowed")
				<-time.After(time.Nanosecond)
				synctest.Wait()
				history := m.StoreStats().History
				assert.Zero(t, history.Changes)
				assert.Zero(t, history.Bytes)
				assert.Zero(t, history.Since)
				assert.False(t, readable(m, at))
				assert.True(t, readable(m, m.Revision()))
				first, page = nil, storage.Listing{}
				runtime.GC()
				assert.Nil(t, old.Value(), "neither the history nor the snapshot of a page keeps the record")
				require.NoError(t, m.Close())
			})
		})
	}
}

func TestClosedStoreHasNoTimer(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before := runtime.NumGoroutine()
				m := open(t)
				require.NoError(t, m.Register(t.Context(), podResource))
				put(t, m, "x", 1)
				require.NoError(t, m.Close())
				<-time.After(time.Hour)
				synctest.Wait()
				assert.LessOrEqual(t, runtime.NumGoroutine(), before)
			})
		})
	}
}

// A replica holds the changes of resources that it does not serve for as long as its history.
func TestHistoryOfUnservedResourcesEndsByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newTruth()
		writer := serving(t, &replica{truth: on})
		defer writer.Close()
		other := openReplica(t, &replica{truth: on}, briefly())
		defer other.Close()
		first := put(t, writer, "x", 1)
		put(t, writer, "x", 2)
		<-time.After(8 * time.Second) // its age, and a check
		synctest.Wait()
		require.NoError(t, other.Register(t.Context(), podResource))
		assert.False(t, readable(other, first.Revision))
		assert.True(t, readable(other, other.Revision()))
	})
}
