package engine_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

func TestStatsOfAStoreInMemory(t *testing.T) {
	now := time.UnixMicro(1_750_000_000_000_000)
	m := newMemory(t, storage.Options{Now: func() time.Time { return now }})
	start := m.Revision()
	assert.Equal(t, storage.StoreStats{
		Revision: start, Resources: map[string]storage.ResourceStats{pods: {}},
		History: storage.HistoryStats{MaxBytes: 64 << 20, Oldest: start},
	}, m.StoreStats())

	put(t, m, "x", 1000)
	now = now.Add(time.Minute)
	put(t, m, "y", 1000)
	_, err := m.Update(t.Context(), pod("y"), func(*storage.Record) ([]byte, error) { return nil, nil })
	require.NoError(t, err)
	s := m.StoreStats()
	assert.Equal(t, map[string]storage.ResourceStats{pods: {Objects: 1, Changes: 3}}, s.Resources)
	assert.EqualValues(t, 3, s.Commits)
	assert.Equal(t, 3, s.History.Changes)
	assert.Equal(t, start+3, s.Revision)
	assert.Equal(t, now.Add(-time.Minute), s.History.Since)
	assert.Greater(t, s.ObjectBytes, int64(1000))
	assert.Greater(t, s.History.Bytes, int64(1000), "the history holds the deleted object")
	assert.Zero(t, s.Conflicts)
	assert.Nil(t, s.Replica)

	require.NoError(t, m.Compact(t.Context(), start+2))
	s = m.StoreStats()
	assert.Equal(t, start+2, s.History.Oldest)
	assert.Equal(t, 1, s.History.Changes)
	assert.Equal(t, now, s.History.Since)
}

func TestStatsCountConflicts(t *testing.T) {
	m := newMemory(t, storage.Options{})
	calls := 0
	_, err := m.Update(t.Context(), pod("x"), func(*storage.Record) ([]byte, error) {
		if calls++; calls == 1 {
			put(t, m, "x", 1)
		}
		return podJSON("x", 2), nil
	})
	require.NoError(t, err)
	_, err = m.UpdateAll(t.Context(), []storage.Key{pod("x"), pod("y")}, func([]*storage.Record) ([][]byte, error) {
		if calls++; calls == 3 {
			put(t, m, "x", 3)
		}
		return [][]byte{podJSON("x", 4), podJSON("y", 4)}, nil
	})
	require.NoError(t, err)
	s := m.StoreStats()
	assert.EqualValues(t, 2, s.Conflicts)
	assert.EqualValues(t, 4, s.Commits, "a group is one commit")
	assert.EqualValues(t, 5, s.Resources[pods].Changes)
}

func TestStatsLeaveOutUnregisteredResources(t *testing.T) {
	m := newMemory(t, storage.Options{})
	put(t, m, "x", 1)
	require.NoError(t, m.Unregister(t.Context(), pods, nil))
	assert.Empty(t, m.StoreStats().Resources)
}

func TestStatsOfADurableStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _, gate := gated(t)
		first := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
		second := in(func() (*storage.Record, error) { return create(t.Context(), m, "y") })
		<-time.After(time.Second) // the clock of the bubble moves at once
		s := m.StoreStats()
		assert.Equal(t, 1, s.Waiting, "the first one is being written")
		assert.Zero(t, s.Commits)
		assert.Zero(t, s.Resources[pods].Objects)
		gate <- nil
		require.NoError(t, (<-first).err)
		gate <- nil
		require.NoError(t, (<-second).err)
		s = m.StoreStats()
		assert.Zero(t, s.Waiting)
		assert.EqualValues(t, 2, s.Commits)
		assert.EqualValues(t, 2, s.Syncs)
		assert.Equal(t, time.Second, s.SyncTime)
		assert.Equal(t, 2, s.Resources[pods].Objects)
		require.NoError(t, m.Close())
	})
}

// A replica that its authority does not answer knows how long it has not been up to date.
func TestStatsOfAReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, far, cut := withCutOffPeer(t)
		_, err := create(t.Context(), here, "x")
		require.NoError(t, err)
		_, err = far.Get(t.Context(), pod("x"), storage.MostRecent)
		require.NoError(t, err)
		confirmed := time.Now()
		s := far.StoreStats()
		assert.Equal(t, &storage.ReplicaStats{UpToDate: confirmed}, s.Replica)
		assert.Equal(t, map[string]storage.ResourceStats{pods: {Objects: 1, Changes: 1}}, s.Resources)
		assert.EqualValues(t, 1, s.Commits)
		assert.Zero(t, s.Syncs)
		assert.EqualValues(t, 1, here.StoreStats().Syncs)

		cut.Store(true)
		<-time.After(time.Minute)
		s = far.StoreStats()
		assert.ErrorIs(t, s.Replica.Err, errCut)
		assert.Equal(t, confirmed, s.Replica.UpToDate)
		cut.Store(false)
		_, err = far.Get(context.Background(), pod("x"), storage.MostRecent)
		require.NoError(t, err)
		assert.Equal(t, &storage.ReplicaStats{UpToDate: time.Now()}, far.StoreStats().Replica)
		require.NoError(t, here.Close())
		require.NoError(t, far.Close())
	})
}

// sized is an authority that says how much disk its data takes.
type sized struct {
	replica
	size  engine.Size
	asked int
}

func (s *sized) Size(context.Context) (engine.Size, error) {
	s.asked++
	return s.size, nil
}

// A replica asks for the size of the stored data while somebody reads it, and at most once a minute.
func TestSizeOfSharedData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		authority := &sized{replica: replica{truth: newTruth()},
			size: engine.Size{ID: "f00d", FileBytes: 1000, FreeBytes: 400}}
		store, err := engine.OpenReplica(t.Context(), authority, storage.Options{Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		<-time.After(time.Hour)
		assert.Zero(t, authority.asked, "nobody reads it")
		for range 3 {
			store.StoreStats()
			synctest.Wait()
		}
		s := store.StoreStats()
		assert.Equal(t, authority.size, engine.Size{ID: s.ID, FileBytes: s.FileBytes, FreeBytes: s.FreeBytes})
		assert.Equal(t, 1, authority.asked)
		<-time.After(time.Minute)
		store.StoreStats()
		synctest.Wait()
		assert.Equal(t, 2, authority.asked)
		require.NoError(t, store.Close())
		store.StoreStats()
		synctest.Wait()
		assert.Equal(t, 2, authority.asked)
	})
}

func TestStatsCountUnreadableRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newTruth()
		m := serving(t, &replica{truth: on})
		on.mu.Lock()
		at := on.known() + 1
		on.add(engine.Arrival{Entries: []engine.Stored{{Key: pod("x"), Revision: at, JSON: []byte("{")}}, End: at,
			At: time.Now().Add(-time.Second)})
		on.mu.Unlock()
		synctest.Wait()
		s := m.StoreStats()
		assert.Equal(t, map[string]storage.ResourceStats{pods: {Objects: 1, Unreadable: 1}}, s.Resources)
		assert.Equal(t, time.Second, s.Replica.Delay)
		require.NoError(t, m.Close())
	})
}

func TestStatsOfManyReadersAndWriters(t *testing.T) {
	m := newMemory(t, storage.Options{})
	cursor, err := m.Watch(t.Context(), watch.Key{Resource: pods}, m.Revision())
	require.NoError(t, err)
	defer cursor.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 100 {
			put(t, m, "x", 1)
		}
	}()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		default:
		}
		s := m.StoreStats()
		assert.LessOrEqual(t, s.History.Changes, 100)
		assert.Equal(t, s.Commits, s.Resources[pods].Changes, "the figures are of one state")
	}
}
