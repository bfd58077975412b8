package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
)

// places is a ledger that gives each creator a number of objects.
type places struct {
	max  int
	used map[string]int
}

type creatorKey struct{}

// by returns the context of a call of a creator.
func by(ctx context.Context, creator string) context.Context {
	return context.WithValue(ctx, creatorKey{}, creator)
}

func (p *places) Creator(ctx context.Context) string {
	creator, _ := ctx.Value(creatorKey{}).(string)
	return creator
}

func (p *places) Claim(_ context.Context, group []storage.Entry) storage.Claim {
	for _, e := range group {
		if e.Previous == nil {
			return &place{p, e.Current.Creator}
		}
	}
	return nil
}

func (p *places) Book(previous, current *storage.Record) {
	if previous != nil {
		p.used[previous.Creator]--
	}
	if current != nil {
		p.used[current.Creator]++
	}
}

// place is the claim of a creator to one more object.
type place struct {
	in      *places
	creator string
}

func (p *place) Check() error {
	if p.in.used[p.creator] < p.in.max {
		return nil
	}
	return &storage.Exceeded{Quota: "places", Figures: fmt.Sprint("used: ", p.in.used[p.creator])}
}

func (p *place) Accounts() []string { return []string{p.creator} }

// limited returns the options of a store whose creators have a number of places.
func limited(max int) storage.Options {
	return storage.Options{MaxWait: time.Minute,
		Ledger: func() storage.Ledger { return &places{max: max, used: map[string]int{}} }}
}

// refused returns whether a write exceeded a quota. It fails the test if the write failed for another reason.
func refused(t *testing.T, err error) bool {
	t.Helper()
	if err == nil {
		return false
	}
	_, exceeded := errors.AsType[*storage.Exceeded](err)
	require.True(t, exceeded, err)
	return exceeded
}

func remove(ctx context.Context, m *engine.Engine, name string) error {
	_, err := m.Update(ctx, pod(name), func(*storage.Record) ([]byte, error) { return nil, nil })
	return err
}

// Writers on several replicas get exactly the places that there are.
func TestReplicasShareLimits(t *testing.T) {
	const each, max = 6, 10
	on := newTruth()
	var created atomic.Int64
	var all sync.WaitGroup
	for r := range 3 {
		m := openReplica(t, &replica{truth: on}, limited(max))
		defer m.Close()
		require.NoError(t, m.Register(t.Context(), podResource))
		for w := range 2 {
			all.Go(func() {
				for n := range each {
					if _, err := create(by(t.Context(), "alice"), m, fmt.Sprint(r, w, n)); !refused(t, err) {
						created.Add(1)
					}
				}
			})
		}
	}
	all.Wait()
	assert.EqualValues(t, max, created.Load())
}

// A replica that lags behind neither refuses a write for which there is room, nor accepts one for which there is none.
func TestLimitsOfALaggingReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newTruth()
		feed := make(chan struct{})
		here, lagging := openReplica(t, &replica{truth: on}, limited(1)),
			openReplica(t, &replica{truth: on, hold: feed}, limited(1))
		for _, m := range []*engine.Engine{here, lagging} {
			require.NoError(t, m.Register(t.Context(), podResource))
		}
		alice := by(t.Context(), "alice")
		_, err := create(alice, here, "x")
		require.NoError(t, err)
		late := in(func() (*storage.Record, error) { return create(alice, lagging, "y") })
		feed <- struct{}{}
		assert.True(t, refused(t, (<-late).err), "the replica saw room")

		require.NoError(t, remove(t.Context(), here, "x"))
		late = in(func() (*storage.Record, error) { return create(alice, lagging, "y") })
		assert.Empty(t, late)
		close(feed)
		assert.False(t, refused(t, (<-late).err), "the replica saw no room")
		created, err := here.Get(t.Context(), pod("y"), storage.MostRecent)
		require.NoError(t, err)
		assert.Equal(t, "alice", created.Creator, "every replica knows the creator")
		require.NoError(t, here.Close())
		require.NoError(t, lagging.Close())
	})
}

// A replica counts what others have written while it did not serve the resource, had another form of it, or had no
// connection.
func TestLimitsOfAnInterruptedReplica(t *testing.T) {
	for name, interrupt := range map[string]func(t *testing.T, of *severed, write func()){
		"unregistered": func(t *testing.T, of *severed, write func()) {
			require.NoError(t, of.Unregister(t.Context(), pods, nil))
			write()
			synctest.Wait()
			require.NoError(t, of.Register(t.Context(), podResource))
		},
		"upgraded": func(t *testing.T, of *severed, write func()) {
			write()
			form := podResource
			form.Fingerprint = "2"
			require.NoError(t, of.Register(t.Context(), form))
		},
		"cut off": func(t *testing.T, of *severed, write func()) {
			of.cut.Store(true)
			of.on.mu.Lock()
			close(of.on.changed) // wakes the feed, which fails
			of.on.changed = make(chan struct{})
			of.on.mu.Unlock()
			synctest.Wait()
			write()
			of.on.mu.Lock()
			of.on.compacted = of.on.last()
			of.on.mu.Unlock()
			of.cut.Store(false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				there := &severed{on: newTruth()}
				there.Engine = openReplica(t, &replica{truth: there.on, failing: there.fail}, limited(3))
				here := openReplica(t, &replica{truth: there.on}, limited(3))
				for _, m := range []*engine.Engine{here, there.Engine} {
					require.NoError(t, m.Register(t.Context(), podResource))
				}
				alice := by(t.Context(), "alice")
				for _, name := range []string{"kept", "removed"} {
					_, err := create(alice, here, name)
					require.NoError(t, err)
				}
				synctest.Wait()
				interrupt(t, there, func() {
					require.NoError(t, remove(t.Context(), here, "removed"))
					_, err := create(alice, here, "added")
					require.NoError(t, err)
				})
				_, err := create(alice, there.Engine, "last")
				assert.False(t, refused(t, err))
				_, err = create(alice, there.Engine, "too many")
				assert.True(t, refused(t, err))
				require.NoError(t, here.Close())
				require.NoError(t, there.Close())
			})
		})
	}
}

// severed is a replica that a test can cut off from the truth.
type severed struct {
	*engine.Engine
	on  *truth
	cut atomic.Bool
}

func (s *severed) fail(string) error {
	if s.cut.Load() {
		return errCut
	}
	return nil
}

// A refusal waits until the writes that have used up the quota are durable. If they fail, the store is read-only.
func TestRefusalsWaitForTheDisk(t *testing.T) {
	for name, fault := range map[string]error{"durable": nil, "failed": errDisk} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan error)
				on := &disk{platter: newPlatter(), before: func(*platter) error { return <-gate },
					after: func(*platter) error { return nil }}
				m, err := engine.Open(t.Context(), on, limited(1))
				require.NoError(t, err)
				require.NoError(t, m.Register(t.Context(), podResource))
				alice := by(t.Context(), "alice")
				first := in(func() (*storage.Record, error) { return create(alice, m, "x") })
				second := in(func() (*storage.Record, error) { return create(alice, m, "y") })
				assert.Empty(t, second)
				gate <- fault
				err = (<-second).err
				if fault == nil {
					require.NoError(t, (<-first).err)
					assert.True(t, refused(t, err))
				} else {
					require.ErrorIs(t, (<-first).err, storage.ErrUnknown)
					assert.ErrorIs(t, err, storage.ErrReadOnly)
				}
				require.NoError(t, m.Close())
			})
		})
	}
}

// A rehearsal tells what a write would get, and changes nothing.
func TestRehearse(t *testing.T) {
	m := engine.New(limited(1))
	defer m.Close()
	require.NoError(t, m.Register(t.Context(), podResource))
	alice := by(t.Context(), "alice")
	for range 2 {
		require.NoError(t, m.Rehearse(alice, pod("x"), nil, podJSON("x", 1)))
	}
	x, err := create(alice, m, "x")
	require.NoError(t, err)
	assert.True(t, refused(t, m.Rehearse(alice, pod("y"), nil, podJSON("y", 1))))
	assert.False(t, refused(t, m.Rehearse(alice, pod("x"), x, podJSON("x", 2))))
	assert.False(t, refused(t, m.Rehearse(alice, pod("x"), x, nil)))
	assert.False(t, refused(t, m.Rehearse(by(alice, "bob"), pod("y"), nil, podJSON("y", 1))))
}
