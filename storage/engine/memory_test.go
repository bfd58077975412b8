package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

const pods = "pods"

func TestMemory(t *testing.T) {
	storagetest.Run(t, storagetest.Subject{New: func(*testing.T) storage.Store {
		return engine.New(storage.Options{})
	}})
}

// The second store starts just before its revisions need another digit.
func TestMemoryStartsWhereItIsTold(t *testing.T) {
	for _, start := range []watch.Revision{1, 999_999_999_990} {
		t.Run(fmt.Sprint(start), func(t *testing.T) {
			storagetest.Run(t, storagetest.Subject{New: func(*testing.T) storage.Store {
				return engine.New(storage.Options{Start: start, MaxWait: time.Second})
			}})
		})
	}
}

func TestMemoryStartsAtTheClock(t *testing.T) {
	for name, c := range map[string]struct {
		now  time.Time
		want watch.Revision
	}{
		"now":            {time.UnixMicro(1_750_000_000_123_456), 1_750_000_000_123_456},
		"before any now": {time.UnixMicro(-1), 1},
		"at zero":        {time.UnixMicro(0), 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(t, storage.Options{Now: func() time.Time { return c.now }})
			assert.Equal(t, c.want, m.Revision())
			assert.Equal(t, c.want+1, put(t, m, "x", 1).Revision)
		})
	}
	before := watch.Revision(time.Now().UnixMicro())
	m := newMemory(t, storage.Options{})
	assert.GreaterOrEqual(t, m.Revision(), before)
	assert.LessOrEqual(t, m.Revision(), watch.Revision(time.Now().UnixMicro()))
}

func TestRevisionsStayBelow2To53(t *testing.T) {
	const limit = 1 << 53
	m := newMemory(t, storage.Options{Start: limit - 3})
	put(t, m, "x", 1)
	assert.EqualValues(t, limit-1, put(t, m, "x", 2).Revision)
	_, err := m.Update(t.Context(), pod("x"), func(*storage.Record) ([]byte, error) { return podJSON("x", 3), nil })
	assert.ErrorIs(t, err, storage.ErrRevision)
	assert.EqualValues(t, limit-1, m.Revision())

	beyond := engine.New(storage.Options{Start: watch.Revision(time.Now().UnixNano())})
	defer beyond.Close()
	assert.ErrorIs(t, beyond.Register(t.Context(), storage.Resource{Name: pods, Extract: storage.NewExtractor()}),
		storage.ErrRevision, "Register already fails")
}

func pod(name string) storage.Key {
	return storage.Key{Resource: pods, Namespace: "default", Name: name}
}

func podJSON(name string, size int) []byte {
	return []byte(`{"metadata":{"name":"` + name + `","resourceVersion":"","labels":{"app":"web"}},"data":"` +
		strings.Repeat("x", size) + `"}`)
}

func newMemory(t testing.TB, opts storage.Options) *engine.Engine {
	m := engine.New(opts)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	require.NoError(t, m.Register(t.Context(),
		storage.Resource{Name: pods, Namespaced: true, Extract: storage.NewExtractor()}))
	return m
}

func put(t testing.TB, m *engine.Engine, name string, size int) *storage.Record {
	r, err := m.Update(context.Background(), pod(name),
		func(*storage.Record) ([]byte, error) { return podJSON(name, size), nil })
	require.NoError(t, err)
	return r
}

func readable(m *engine.Engine, revision watch.Revision) bool {
	_, err := m.List(context.Background(),
		storage.Query{Within: watch.Key{Resource: pods}, Revision: revision, Exact: true}, nil)
	return !status.IsExpired(err)
}

// unregistering is a context that unregisters pods when a store first asks whether the context has ended.
type unregistering struct {
	context.Context
	unregister func()
}

// Err implements [context.Context].
func (c unregistering) Err() error {
	c.unregister()
	return c.Context.Err()
}

// Update asks for the state of its context after it has found the resource, and before it reads the record.
func TestUpdateOfAResourceThatIsBeingUnregistered(t *testing.T) {
	m := newMemory(t, storage.Options{})
	first := put(t, m, "x", 1)
	ctx := unregistering{t.Context(), sync.OnceFunc(func() { require.NoError(t, m.Unregister(t.Context(), pods, nil)) })}
	_, err := m.Update(ctx, pod("x"), func(*storage.Record) ([]byte, error) { return podJSON("x", 2), nil })
	require.ErrorIs(t, err, storage.ErrResource)
	require.NoError(t, m.Register(t.Context(),
		storage.Resource{Name: pods, Namespaced: true, Extract: storage.NewExtractor()}))
	got, err := m.Get(t.Context(), pod("x"), storage.MostRecent)
	require.NoError(t, err)
	require.Equal(t, first, got)
}

func TestHistoryIsBoundedByAge(t *testing.T) {
	now := time.Unix(0, 0)
	m := newMemory(t, storage.Options{Now: func() time.Time { return now }})
	first := put(t, m, "x", 1).Revision
	now = now.Add(5 * time.Minute)
	second := put(t, m, "x", 2).Revision
	assert.True(t, readable(m, first))
	now = now.Add(time.Second)
	put(t, m, "x", 3)
	assert.True(t, readable(m, first), "only the change has expired, not the record")
	now = now.Add(5 * time.Minute)
	put(t, m, "x", 4)
	assert.False(t, readable(m, first))
	assert.True(t, readable(m, second+1))
}

func TestHistoryIsBoundedByBytes(t *testing.T) {
	m := newMemory(t, storage.Options{MaxLogBytes: 100_000})
	first := put(t, m, "x", 10_000).Revision
	for i := range 9 {
		put(t, m, "x", 10_000+i)
	}
	assert.True(t, readable(m, first))
	put(t, m, "x", 9_000)
	put(t, m, "x", 9_001)
	assert.False(t, readable(m, first))
	before := m.Revision()
	for i := range 500 {
		put(t, m, fmt.Sprint("new-", i), 10_000)
	}
	assert.True(t, readable(m, before), "a created record is live, so its change costs the history little")
}

func TestHistoryMayHoldAQuarterOfTheLiveData(t *testing.T) {
	const head, large = `{"metadata":{"resourceVersion":"00`, 8 << 20
	m := engine.New(storage.Options{Start: 10}) // the revisions of the test have two digits
	defer m.Close()
	require.NoError(t, m.Register(t.Context(),
		storage.Resource{Name: pods, Namespaced: true, Extract: func(json []byte) (storage.Extracted, error) {
			end := uint32(len(head))
			return storage.Extracted{Metadata: storage.Span{Start: 12, End: end + 2},
				Version: storage.Span{Start: end - 2, End: end}}, nil
		}}))
	put := func(name, size int) {
		_, err := m.Update(t.Context(), pod(fmt.Sprint(name)), func(*storage.Record) ([]byte, error) {
			json := make([]byte, size)
			copy(json, head+`"}`)
			return json, nil
		})
		require.NoError(t, err)
	}
	for i := range 36 { // 288 MiB are live, so the log may hold 72
		put(i, large)
	}
	before := m.Revision()
	for i := range 8 {
		put(i, large+1)
	}
	assert.True(t, readable(m, before))
	put(9, large+1)
	assert.False(t, readable(m, before))
}

func TestNothingPinsOldRecords(t *testing.T) {
	for name, forget := range map[string]func(*testing.T, *engine.Engine){
		"compacted": func(t *testing.T, m *engine.Engine) { require.NoError(t, m.Compact(t.Context(), m.Revision())) },
		"too much":  func(t *testing.T, m *engine.Engine) { put(t, m, "x", 200_000); put(t, m, "x", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(t, storage.Options{MaxLogBytes: 100_000})
			old := weak.Make(put(t, m, "x", 1000))
			put(t, m, "y", 1)
			scope := watch.Key{Resource: pods}
			page, err := m.List(t.Context(), storage.Query{Within: scope, Limit: 1}, nil)
			require.NoError(t, err)
			revision := page.Revision
			cursor, err := m.Watch(t.Context(), scope, revision)
			require.NoError(t, err)
			defer cursor.Close()
			for i := range 20 { // more snapshots than the store keeps; the last one is of the first revision again
				put(t, m, "x", 100+i)
				at := revision + watch.Revision((i+1)%20)
				_, err := m.List(t.Context(), storage.Query{Within: scope, Limit: 1, Revision: at, Exact: true}, nil)
				require.NoError(t, err)
			}
			page = storage.Listing{}
			runtime.GC()
			require.NotNil(t, old.Value(), "the history still holds the record")
			forget(t, m)
			runtime.GC()
			assert.Nil(t, old.Value(), "neither the history, nor a paging client, nor an idle watch keeps the record")
			runtime.KeepAlive(m)
			runtime.KeepAlive(page)
		})
	}
}

func TestSpareRoomIsNotKept(t *testing.T) {
	m := newMemory(t, storage.Options{})
	r, err := m.Update(t.Context(), pod("x"), func(*storage.Record) ([]byte, error) {
		return append(make([]byte, 0, 64<<10), podJSON("x", 10)...), nil
	})
	require.NoError(t, err)
	assert.Less(t, cap(storagetest.Text(r)), 2*len(storagetest.Text(r)))
}

func TestVersionsShareTheirParts(t *testing.T) {
	shared := 0
	for range 5 { // the table of strings has a random seed, so another string may take the slot of this one
		m := newMemory(t, storage.Options{})
		first, second, other := put(t, m, "x", 1), put(t, m, "x", 2), put(t, m, "y", 1)
		assert.Same(t, &first.Labels[0], &second.Labels[0])
		if unsafe.StringData(first.Labels[0].Value) == unsafe.StringData(other.Labels[0].Value) {
			shared++
		}
	}
	assert.Greater(t, shared, 2, "objects share a string")
}

// The buffer of a long list grows once, to about the number of the records, whichever part of a resource is listed.
func TestListGrowsItsBufferOnce(t *testing.T) {
	m := newMemory(t, storage.Options{})
	fill(t, m, 40_000) // the records are in 20 namespaces
	for _, c := range []struct {
		name string
		of   storage.Query
		want int
	}{
		{"all namespaces", storage.Query{Within: watch.Key{Resource: pods}}, 40_000},
		{"one namespace", storage.Query{Within: watch.Key{Resource: pods, Namespace: "ns-7"}}, 2000},
		{"a page", storage.Query{Within: watch.Key{Resource: pods}, Limit: 3000}, 3000},
		{"the last page", storage.Query{Within: watch.Key{Resource: pods}, After: typicalKey(9), Limit: 3000}, 1999},
	} {
		list := func(buffer int) []*storage.Record {
			page, err := m.List(t.Context(), c.of, make([]*storage.Record, 0, buffer))
			require.NoError(t, err)
			return page.Records
		}
		assert.Equal(t, c.want, len(list(512)), c.name)
		assert.Less(t, cap(list(512)), c.want*3/2, c.name)
		enough := testing.AllocsPerRun(5, func() { list(40_000) })
		grown := testing.AllocsPerRun(5, func() { list(512) })
		assert.LessOrEqual(t, grown, enough+2, c.name) // under the race detector, slices.Grow allocates twice
	}
}
