package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

func TestReplica(t *testing.T) {
	truths := map[storage.Store]*truth{}
	open := func(t *testing.T, on *truth) storage.Store {
		m := openReplica(t, &replica{truth: on}, storage.Options{})
		truths[m] = on
		return m
	}
	storagetest.Run(t, storagetest.Subject{
		New:  func(t *testing.T) storage.Store { return open(t, newTruth()) },
		Peer: func(t *testing.T, store storage.Store) storage.Store { return open(t, truths[store]) },
		Reopen: func(t *testing.T, store storage.Store) storage.Store {
			require.NoError(t, store.Close())
			return open(t, truths[store])
		},
	})
}

var podResource = storage.Resource{Name: pods, Namespaced: true, Extract: storage.NewExtractor(), Fingerprint: "1"}

// serving returns a replica that serves pods.
func serving(t *testing.T, r *replica) *engine.Engine {
	t.Helper()
	m := openReplica(t, r, storage.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, m.Register(t.Context(), podResource))
	return m
}

// A replica that lags behind never refuses a write because of an outdated state.
func TestLaggingReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newTruth()
		feed := make(chan struct{})
		here, lagging := serving(t, &replica{truth: on}), serving(t, &replica{truth: on, hold: feed})
		created, err := create(t.Context(), here, "x")
		require.NoError(t, err)

		_, err = lagging.Get(t.Context(), pod("x"), storage.Any)
		assert.ErrorIs(t, err, storage.ErrNotFound, "it answers at once")
		calls := []chan outcome{
			in(func() (*storage.Record, error) { return lagging.Get(t.Context(), pod("x"), storage.MostRecent) }),
			in(func() (*storage.Record, error) { return create(t.Context(), lagging, "x") }),
			in(func() (*storage.Record, error) {
				return lagging.Update(t.Context(), pod("x"), func(r *storage.Record) ([]byte, error) {
					if r == nil {
						return nil, nil
					}
					return storagetest.Text(r), nil
				})
			}),
		}
		for _, call := range calls {
			assert.Empty(t, call)
		}
		feed <- struct{}{}
		for i, call := range calls {
			got := <-call
			if i == 1 {
				assert.EqualError(t, got.err, "X exists")
				continue
			}
			assert.NoError(t, got.err)
			assert.Equal(t, created, got.record)
		}
		require.NoError(t, here.Close())
		require.NoError(t, lagging.Close())
	})
}

// earlyReplica is a connection over which a test can yield a group before the feed does.
type earlyReplica struct {
	*replica
	yield func(engine.Arrival) error
}

func (e *earlyReplica) Follow(ctx context.Context, after watch.Revision, yield func(engine.Arrival) error) error {
	e.yield = yield
	return e.replica.Follow(ctx, after, yield)
}

// A writer that yields its own group does not wait for the end of an upgrade that pauses changes. The feed does.
func TestNoWaitDuringAnUpgrade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on, feed := newTruth(), make(chan struct{})
		here, connection := serving(t, &replica{truth: on}), &earlyReplica{replica: &replica{truth: on, hold: feed}}
		m, err := engine.OpenReplica(t.Context(), connection, storage.Options{})
		require.NoError(t, err)
		require.NoError(t, m.Register(t.Context(), podResource))
		write := func(n int) engine.Arrival {
			_, err := here.Update(t.Context(), pod("x"), func(*storage.Record) ([]byte, error) { return podJSON("x", n), nil })
			require.NoError(t, err)
			on.mu.Lock()
			defer on.mu.Unlock()
			return on.groups[len(on.groups)-1]
		}
		deliver := func() {
			feed <- struct{}{}
			synctest.Wait()
			require.Equal(t, here.Revision(), m.Revision())
		}
		write(0)
		deliver()

		form, rounds := podResource, 0
		form.Fingerprint = "2"
		form.Upgrade = func(json []byte) ([]byte, error) {
			if rounds++; rounds > 9 { // the upgrade has ended
				return json, nil
			}
			group := write(rounds)
			if rounds <= 8 { // the upgrade starts again
				deliver()
				return json, nil
			}
			before := m.Revision()
			group.NoWait = true
			assert.ErrorContains(t, connection.yield(group), "pauses")
			assert.Equal(t, before, m.Revision())
			return json, nil
		}
		require.NoError(t, m.Register(t.Context(), form))
		assert.Equal(t, 9, rounds)
		deliver()
		require.NoError(t, here.Close())
		require.NoError(t, m.Close())
	})
}

// A write returns the object that the authority has kept, even if the object has changed since.
func TestAuthorityKeepsAnotherText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on, feed := newTruth(), make(chan struct{})
		m := serving(t, &replica{truth: on, hold: feed, keeps: func(text []byte) []byte {
			return bytes.ReplaceAll(text, []byte(`"data":"x"`), []byte(`"data":"kept"`))
		}})
		other := serving(t, &replica{truth: on})
		text := func(n int) storage.UpdateFunc {
			return func(*storage.Record) ([]byte, error) { return podJSON("x", n), nil }
		}
		write := in(func() (*storage.Record, error) { return m.Update(t.Context(), pod("x"), text(1)) })
		synctest.Wait()
		later, err := other.Update(t.Context(), pod("x"), text(7))
		require.NoError(t, err)
		feed <- struct{}{}
		feed <- struct{}{}
		got := <-write
		require.NoError(t, got.err)
		assert.Contains(t, string(storagetest.Text(got.record)), `"data":"kept"`)
		assert.Less(t, got.record.Revision, later.Revision)
		assert.Contains(t, string(storagetest.Text(got.record)), fmt.Sprintf(`"resourceVersion":"%d"`, got.record.Revision))
		assert.False(t, storagetest.Holds(got.record, podJSON("x", 1)))
		assert.True(t, storagetest.Holds(later, podJSON("x", 7)))
		require.NoError(t, m.Close())
		require.NoError(t, other.Close())

		broken := serving(t, &replica{truth: newTruth(), keeps: func([]byte) []byte { return []byte("{") }})
		_, err = broken.Update(t.Context(), pod("x"), text(1))
		assert.ErrorContains(t, err, "the write is committed")
		require.NoError(t, broken.Close())
	})
}

// A write returns after its replica shows it.
func TestWriteWaitsForItsArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := make(chan struct{})
		m := serving(t, &replica{truth: newTruth(), hold: feed})
		write := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
		assert.Empty(t, write)
		feed <- struct{}{}
		got := <-write
		require.NoError(t, got.err)
		assert.Equal(t, got.record.Revision, m.Revision())

		ctx, cancel := context.WithCancel(t.Context())
		write = in(func() (*storage.Record, error) { return create(ctx, m, "y") })
		cancel()
		assert.ErrorIs(t, (<-write).err, storage.ErrUnknown)
		feed <- struct{}{}
		_, err := m.Get(t.Context(), pod("y"), storage.MostRecent)
		assert.NoError(t, err)
		require.NoError(t, m.Close())
	})
}

// Reads that wait share a question; none gets the answer of a question that was asked before the read.
func TestReadsShareQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		answer := make(chan struct{}, 2)
		answer <- struct{}{}
		m := serving(t, &replica{truth: newTruth(), failing: func(call string) error {
			if call == "Latest" {
				asked.Add(1)
				<-answer
			}
			return nil
		}})
		asked.Store(0)
		get := func() (*storage.Record, error) { return m.Get(t.Context(), pod("x"), storage.MostRecent) }
		var all []chan outcome
		for range 10 {
			all = append(all, in(get))
		}
		answer <- struct{}{}
		assert.ErrorIs(t, (<-all[0]).err, storage.ErrNotFound)
		synctest.Wait()
		assert.EqualValues(t, 2, asked.Load())
		for _, call := range all[1:] {
			assert.Empty(t, call)
		}
		answer <- struct{}{}
		for _, call := range all[1:] {
			assert.ErrorIs(t, (<-call).err, storage.ErrNotFound)
		}
		assert.EqualValues(t, 2, asked.Load())
		close(answer)
		require.NoError(t, m.Close())
	})
}

// withCutOffPeer serves two replicas. While cut is true, the authority does not answer the second one.
func withCutOffPeer(t *testing.T) (here, far *engine.Engine, cut *atomic.Bool) {
	on := newTruth()
	cut = new(atomic.Bool)
	return serving(t, &replica{truth: on}), serving(t, &replica{truth: on, failing: func(string) error {
		if cut.Load() {
			return errCut
		}
		return nil
	}}), cut
}

// A replica without a connection serves reads, reports that it is not ready, and recovers.
func TestCutOffReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, far, cut := withCutOffPeer(t)
		first, err := create(t.Context(), here, "x")
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, far.Ready())
		cut.Store(true)
		_, err = create(t.Context(), here, "y")
		require.NoError(t, err)

		got, err := far.Get(t.Context(), pod("x"), storage.Any)
		require.NoError(t, err)
		assert.Equal(t, first, got)
		for name, call := range map[string]func() error{
			"get": func() error { _, err := far.Get(t.Context(), pod("x"), storage.MostRecent); return err },
			"list": func() error {
				_, err := far.List(t.Context(), storage.Query{Within: watch.Key{Resource: pods}}, nil)
				return err
			},
			"refusal": func() error {
				_, err := create(t.Context(), far, "x")
				return err
			},
		} {
			err := call()
			assert.ErrorIs(t, err, storage.ErrUnavailable, name)
			assert.Equal(t, 503, status.CodeOf(err), name)
			assert.NotZero(t, status.From(err).Status.Details.RetryAfterSeconds, name)
		}
		_, err = create(t.Context(), far, "z")
		assert.ErrorIs(t, err, errCut)
		assert.ErrorIs(t, far.Ready(), storage.ErrUnavailable)

		cut.Store(false)
		_, err = far.Get(t.Context(), pod("y"), storage.MostRecent)
		for errors.Is(err, storage.ErrUnavailable) { // the feed pauses before it tries again
			_, err = far.Get(t.Context(), pod("y"), storage.MostRecent)
		}
		require.NoError(t, err)
		require.NoError(t, far.Ready())
		require.NoError(t, here.Close())
		require.NoError(t, far.Close())
	})
	synctest.Test(t, func(t *testing.T) {
		var cut atomic.Bool
		m := serving(t, &replica{truth: newTruth(), failing: func(call string) error {
			if call == "Latest" && cut.Load() {
				return errCut
			}
			return nil
		}})
		cut.Store(true)
		<-time.After(10 * time.Second) // the clock of the bubble moves at once
		assert.ErrorIs(t, m.Ready(), storage.ErrUnavailable, "an idle replica notices it, too")
		require.NoError(t, m.Close())
	})
}

// If the truth has dropped changes that a replica has not received, the replica loads the latest state, and its watches
// expire.
func TestLostChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newTruth()
		var cut atomic.Bool
		far := serving(t, &replica{truth: on, failing: func(call string) error {
			if cut.Load() {
				return errCut
			}
			return nil
		}})
		here := serving(t, &replica{truth: on})
		for _, name := range []string{"stays", "changes", "goes"} {
			_, err := create(t.Context(), here, name)
			require.NoError(t, err)
		}
		synctest.Wait()
		scope := watch.Key{Resource: pods}
		cursor, err := far.Watch(t.Context(), scope, far.Revision())
		require.NoError(t, err)
		defer cursor.Close()
		cut.Store(true)
		on.mu.Lock()
		close(on.changed) // wakes the feed, which fails
		on.changed = make(chan struct{})
		on.mu.Unlock()
		synctest.Wait()
		_, err = here.Update(t.Context(), pod("changes"),
			func(*storage.Record) ([]byte, error) { return podJSON("changes", 7), nil })
		require.NoError(t, err)
		_, err = here.Update(t.Context(), pod("goes"), func(*storage.Record) ([]byte, error) { return nil, nil })
		require.NoError(t, err)
		_, err = create(t.Context(), here, "comes")
		require.NoError(t, err)
		on.mu.Lock()
		on.compacted = on.last()
		on.mu.Unlock()
		cut.Store(false)
		_, err = cursor.Next(t.Context(), nil)
		assert.True(t, status.IsExpired(err), "%v", err)
		want, err := here.List(t.Context(), storage.Query{Within: scope}, nil)
		require.NoError(t, err)
		got, err := far.List(t.Context(), storage.Query{Within: scope}, nil)
		require.NoError(t, err)
		assert.Equal(t, want.Records, got.Records)
		_, err = create(t.Context(), far, "later")
		require.NoError(t, err)
		changes, err := far.Watch(t.Context(), scope, got.Revision)
		require.NoError(t, err)
		defer changes.Close()
		news, err := changes.Poll(nil)
		require.NoError(t, err)
		assert.Len(t, news, 1)
		require.NoError(t, here.Close())
		require.NoError(t, far.Close())
	})
}

// If the dropped changes belong to other users of the store, a replica has lost nothing, and its watches continue.
func TestOthersChangesLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newTruth()
		m := serving(t, &replica{truth: on})
		r, err := create(t.Context(), m, "x")
		require.NoError(t, err)
		cursor, err := m.Watch(t.Context(), watch.Key{Resource: pods}, r.Revision)
		require.NoError(t, err)
		defer cursor.Close()
		on.mu.Lock()
		on.compacted = on.known() // others could have used these revisions
		close(on.changed)         // wakes the feed
		on.changed = make(chan struct{})
		on.mu.Unlock()
		synctest.Wait()
		_, err = create(t.Context(), m, "y")
		require.NoError(t, err)
		changes, err := cursor.Next(t.Context(), nil)
		require.NoError(t, err)
		assert.Len(t, changes, 1)
		require.NoError(t, m.Close())
	})
}

// A record that a replica cannot read does not stop it. The replica names the object, does not serve it and does not
// write it.
func TestUnreadableRecord(t *testing.T) {
	on := newTruth()
	var log bytes.Buffer
	strict := openReplica(t, &replica{truth: on}, storage.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	defer strict.Close()
	extract := func(json []byte) (storage.Extracted, error) {
		if bytes.Contains(json, []byte("xxxxx")) {
			return storage.Extracted{}, errors.New("it is too large for this program")
		}
		return storage.ExtractMetadata(json)
	}
	require.NoError(t, strict.Register(t.Context(),
		storage.Resource{Name: pods, Namespaced: true, Extract: extract, Fingerprint: "1"}))
	here := serving(t, &replica{truth: on})
	defer here.Close()
	write := func(m *engine.Engine, size int) error {
		_, err := m.Update(t.Context(), pod("x"), func(*storage.Record) ([]byte, error) { return podJSON("x", size), nil })
		return err
	}
	require.NoError(t, write(here, 1))
	_, err := strict.Get(t.Context(), pod("x"), storage.MostRecent)
	require.NoError(t, err)
	cursor, err := strict.Watch(t.Context(), pod("x"), strict.Revision())
	require.NoError(t, err)
	defer cursor.Close()

	require.NoError(t, write(here, 1000))
	_, err = strict.Get(t.Context(), pod("x"), storage.MostRecent)
	assert.ErrorIs(t, err, storage.ErrNotFound)
	changes, err := cursor.Poll(nil)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	assert.Nil(t, changes[0].Current, "watches see what a list shows")
	assert.Contains(t, log.String(), "name=x")
	err = write(strict, 1)
	assert.ErrorIs(t, err, storage.ErrReadOnly)
	assert.ErrorContains(t, err, "too large for this program")

	require.NoError(t, write(here, 2))
	_, err = strict.Get(t.Context(), pod("x"), storage.MostRecent)
	assert.NoError(t, err)
	require.NoError(t, write(strict, 3))
}

// A resource that is registered late has the history since the replica was opened, and the history before that.
func TestLateRegistration(t *testing.T) {
	on := newTruth()
	early := serving(t, &replica{truth: on})
	defer early.Close()
	first, err := create(t.Context(), early, "0")
	require.NoError(t, err)
	late := openReplica(t, &replica{truth: on}, storage.Options{})
	defer late.Close()
	for i := range 5 {
		_, err := create(t.Context(), early, fmt.Sprint(i+1))
		require.NoError(t, err)
	}
	_, err = late.Get(t.Context(), pod("5"), storage.MostRecent)
	require.ErrorIs(t, err, storage.ErrResource)
	require.NoError(t, late.Register(t.Context(), podResource))
	scope := watch.Key{Resource: pods}
	_, err = late.List(t.Context(), storage.Query{Within: scope}, nil)
	require.NoError(t, err)
	cursor, err := late.Watch(t.Context(), scope, first.Revision)
	require.NoError(t, err)
	defer cursor.Close()
	changes, err := cursor.Next(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, changes, 5)
	page, err := late.List(t.Context(), storage.Query{Within: scope, Revision: first.Revision, Exact: true}, nil)
	require.NoError(t, err)
	assert.Equal(t, []*storage.Record{first}, page.Records)

	on.mu.Lock()
	on.compacted = on.last()
	on.mu.Unlock()
	later := serving(t, &replica{truth: on})
	defer later.Close()
	_, err = later.Watch(t.Context(), scope, first.Revision)
	assert.True(t, status.IsExpired(err), "%v", err)
	again := storage.Resource{Name: "others", Extract: storage.ExtractMetadata}
	require.NoError(t, late.Register(t.Context(), again), "the state from which the replica started is gone")
}

// An unregistered resource follows the changes of other replicas, so it comes back as they left it.
func TestUnregisteredReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newTruth()
		here, there := serving(t, &replica{truth: on}), serving(t, &replica{truth: on})
		first, err := create(t.Context(), here, "x")
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, there.Unregister(t.Context(), pods, nil))
		second, err := create(t.Context(), here, "y")
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, there.Register(t.Context(), podResource))
		page, err := there.List(t.Context(), storage.Query{Within: watch.Key{Resource: pods}}, nil)
		require.NoError(t, err)
		assert.Equal(t, []*storage.Record{first, second}, page.Records)
		_, err = there.Watch(t.Context(), watch.Key{Resource: pods}, first.Revision)
		assert.True(t, status.IsExpired(err), "%v", err)
		require.NoError(t, here.Close())
		require.NoError(t, there.Close())
	})
}

// The replica forgets a resource without records when it is unregistered. It still misses nothing of what others write
// meanwhile.
func TestUnregisteredReplicaOfAnEmptyResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newTruth()
		here, there := serving(t, &replica{truth: on}), serving(t, &replica{truth: on})
		scope := watch.Key{Resource: pods}
		for round := range 3 {
			position := there.Revision()
			require.NoError(t, there.Unregister(t.Context(), pods, nil))
			first, err := create(t.Context(), here, "x")
			require.NoError(t, err)
			if round == 1 {
				synctest.Wait()
			}
			require.NoError(t, there.Register(t.Context(), podResource))
			synctest.Wait()
			page, err := there.List(t.Context(), storage.Query{Within: scope}, nil)
			require.NoError(t, err)
			assert.Equal(t, []*storage.Record{first}, page.Records)
			cursor, err := there.Watch(t.Context(), scope, position)
			require.NoError(t, err)
			changes, err := cursor.Poll(nil)
			require.NoError(t, err)
			assert.Len(t, changes, 1)
			cursor.Close()
			_, err = here.Update(t.Context(), pod("x"), func(*storage.Record) ([]byte, error) { return nil, nil })
			require.NoError(t, err)
			synctest.Wait()
		}
		require.NoError(t, here.Close())
		require.NoError(t, there.Close())
	})
}

// Two versions of a program share the truth: the older one serves newer objects without the fields that it does not
// know, and refuses to write them.
func TestTwoVersions(t *testing.T) {
	on := newTruth()
	older, newer := serving(t, &replica{truth: on}), openReplica(t, &replica{truth: on}, storage.Options{})
	defer older.Close()
	defer newer.Close()
	form := podResource
	form.Fingerprint = "2"
	require.NoError(t, newer.Register(t.Context(), form))
	_, err := create(t.Context(), older, "old")
	require.NoError(t, err)
	_, err = create(t.Context(), newer, "new")
	require.NoError(t, err)
	change := func(m *engine.Engine, name, text string) error {
		_, err := m.Update(t.Context(), pod(name), func(r *storage.Record) ([]byte, error) {
			return []byte(strings.Replace(string(storagetest.Text(r)), `"metadata":{`,
					`"metadata":{"annotations":{"by":"`+text+`"},`, 1)),
				nil
		})
		return err
	}
	_, err = older.Get(t.Context(), pod("new"), storage.MostRecent)
	require.NoError(t, err)
	assert.ErrorIs(t, change(older, "new", "older"), storage.ErrReadOnly)
	assert.NoError(t, change(newer, "old", "newer"))
	_, err = older.Get(t.Context(), pod("old"), storage.MostRecent)
	require.NoError(t, err)
	assert.ErrorIs(t, change(older, "old", "older"), storage.ErrReadOnly)
}

// A write that began in the old form has committed when Register returns. Its record is served in the new form.
func TestRegisterWaitsForProposals(t *testing.T) {
	for name, change := range map[string]func(*storage.Resource){
		"new fingerprint": func(r *storage.Resource) { r.Fingerprint = "2" },
		"new declaration": func(r *storage.Resource) { r.Declaration = "second" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := make(chan struct{})
				m := serving(t, &replica{truth: newTruth(), failing: func(call string) error {
					if call == "Commit" {
						<-answer
					}
					return nil
				}})
				write := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
				next := podResource
				change(&next)
				registered := in(func() (*storage.Record, error) { return nil, m.Register(t.Context(), next) })
				assert.Empty(t, registered, "the authority may still commit the write")
				close(answer)
				got := <-write
				require.NoError(t, got.err)
				require.NoError(t, (<-registered).err)
				read, err := m.Get(t.Context(), pod("x"), storage.MostRecent)
				require.NoError(t, err)
				assert.Equal(t, storagetest.Text(got.record), storagetest.Text(read))
				require.NoError(t, m.Close())
			})
		})
	}
}

func TestOpenReplicaFails(t *testing.T) {
	for _, call := range []string{"Begin", "Latest"} {
		var closed atomic.Bool // the replica also calls Follow, in a goroutine
		_, err := engine.OpenReplica(t.Context(), &replica{truth: newTruth(), failing: func(of string) error {
			if of == "Close" {
				closed.Store(true)
			}
			if of == call {
				return errCut
			}
			return nil
		}}, storage.Options{})
		assert.ErrorIs(t, err, errCut, call)
		assert.True(t, closed.Load(), call)
	}
}

// The revision of an idle replica follows the revision of the truth, so that bookmarks stay young.
func TestIdleReplicaAdvances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newTruth()
		m := serving(t, &replica{truth: on})
		cursor, err := m.Watch(t.Context(), watch.Key{Resource: pods}, m.Revision())
		require.NoError(t, err)
		on.mu.Lock()
		on.add(engine.Arrival{Entries: []engine.Stored{{Key: storage.Key{Resource: "others", Name: "x"},
			Revision: on.known() + 1}}, End: on.known() + 1})
		known := on.known()
		on.mu.Unlock()
		<-time.After(time.Minute) // the clock of the bubble moves at once
		assert.Equal(t, known, m.Revision())
		_, err = cursor.Poll(nil)
		require.NoError(t, err)
		assert.Equal(t, known, cursor.Position())
		cursor.Close()
		require.NoError(t, m.Close())
	})
}
