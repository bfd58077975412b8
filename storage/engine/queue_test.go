package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

type outcome struct {
	record *storage.Record
	err    error
}

// in runs a write in its own goroutine, and returns when the write waits for the disk.
func in(write func() (*storage.Record, error)) chan outcome {
	ended := make(chan outcome, 1)
	go func() {
		r, err := write()
		ended <- outcome{r, err}
	}()
	synctest.Wait()
	return ended
}

func TestReadersSeeOnlyWhatIsDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _, gate := gated(t)
		before := m.Revision()
		cursor, err := m.Watch(t.Context(), watch.Key{Resource: pods}, before)
		require.NoError(t, err)
		ended := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
		_, err = m.Get(t.Context(), pod("x"), storage.MostRecent)
		assert.ErrorIs(t, err, storage.ErrNotFound)
		page, err := m.List(t.Context(), storage.Query{Within: watch.Key{Resource: pods}}, nil)
		require.NoError(t, err)
		assert.Empty(t, page.Records)
		assert.Equal(t, before, page.Revision)
		changes, err := cursor.Poll(nil)
		require.NoError(t, err)
		assert.Empty(t, changes)
		assert.Empty(t, ended)

		gate <- nil
		assert.NoError(t, (<-ended).err)
		_, err = m.Get(t.Context(), pod("x"), storage.MostRecent)
		assert.NoError(t, err)
		require.NoError(t, m.Close())
	})
}

// A refused write, a no-op and the deletion of an absent object return only after the records that they saw are
// durable, because the result reveals these records to the caller.
func TestAnswersWaitForWhatTheySaw(t *testing.T) {
	for name, c := range map[string]struct {
		write func(context.Context, *engine.Engine) (*storage.Record, error)
		want  string
	}{
		"refusal": {func(ctx context.Context, m *engine.Engine) (*storage.Record, error) { return create(ctx, m, "x") },
			"X exists"},
		"no-op": {func(ctx context.Context, m *engine.Engine) (*storage.Record, error) {
			return m.Update(ctx, pod("x"), func(r *storage.Record) ([]byte, error) { return storagetest.Text(r), nil })
		}, ""},
		"broken object": {func(ctx context.Context, m *engine.Engine) (*storage.Record, error) {
			return m.Update(ctx, pod("x"), func(r *storage.Record) ([]byte, error) { return storagetest.Text(r)[1:], nil })
		}, "pods default/x: storage: bad object: the JSON is damaged at or before byte 0"},
		"group": {func(ctx context.Context, m *engine.Engine) (*storage.Record, error) {
			all, err := m.UpdateAll(ctx, []storage.Key{pod("y"), pod("x")}, func(r []*storage.Record) ([][]byte, error) {
				return [][]byte{nil, storagetest.Text(r[1])}, nil
			})
			if err != nil {
				return nil, err
			}
			return all[1], nil
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, _, gate := gated(t)
				first := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
				second := in(func() (*storage.Record, error) { return c.write(t.Context(), m) })
				impatient, leave := context.WithCancel(t.Context())
				third := in(func() (*storage.Record, error) { return c.write(impatient, m) })
				leave()
				assert.Equal(t, context.Canceled, (<-third).err, "it has written nothing")
				assert.Empty(t, second)
				gate <- nil
				require.NoError(t, (<-first).err)
				if got := <-second; c.want != "" {
					assert.EqualError(t, got.err, c.want)
				} else {
					assert.NoError(t, got.err)
				}
				require.NoError(t, m.Close())
			})
			synctest.Test(t, func(t *testing.T) {
				m, _, gate := gated(t)
				first := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
				second := in(func() (*storage.Record, error) { return c.write(t.Context(), m) })
				gate <- errDisk
				assert.ErrorIs(t, (<-first).err, storage.ErrUnknown)
				assert.ErrorIs(t, (<-second).err, storage.ErrReadOnly, "it must not tell of what may be lost")
				require.NoError(t, m.Close())
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		m, _, gate := gated(t)
		remove := func() (*storage.Record, error) {
			return m.Update(t.Context(), pod("x"), func(*storage.Record) ([]byte, error) { return nil, nil })
		}
		first := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
		gate <- nil
		require.NoError(t, (<-first).err)
		second, third := in(remove), in(remove)
		assert.Empty(t, third)
		gate <- nil
		require.NoError(t, (<-second).err)
		assert.ErrorIs(t, (<-third).err, storage.ErrNotFound)
		require.NoError(t, m.Close())
	})
}

// Waiting writers share an append, and can change records that are not durable yet.
func TestWritersShareAppends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, on, gate := gated(t)
		start := m.Revision()
		var all []chan outcome
		add := func() (*storage.Record, error) {
			return m.Update(t.Context(), pod("x"), func(r *storage.Record) ([]byte, error) {
				size := 1
				if r != nil {
					size = len(storagetest.Text(r))
				}
				return podJSON("x", size), nil
			})
		}
		for range 10 {
			all = append(all, in(add))
		}
		gate <- nil
		gate <- nil
		for i, ended := range all {
			got := <-ended
			require.NoError(t, got.err)
			assert.Equal(t, watch.Revision(i+1), got.record.Revision-start)
		}
		assert.Equal(t, 2, on.appends, "the first write alone, and all others together")
		assert.Equal(t, 10, on.groups)
		require.NoError(t, m.Close())
	})
}

func TestContextEndsWhileTheCommitIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, on, gate := gated(t)
		ctx, leave := context.WithCancel(t.Context())
		first := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
		second := in(func() (*storage.Record, error) { return create(ctx, m, "y") })
		leave()
		err := (<-second).err
		assert.ErrorIs(t, err, storage.ErrUnknown)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 504, status.CodeOf(err))
		assert.Equal(t, 0, on.appends)
		gate <- nil // the driver completes the write of the writer that has left
		gate <- nil
		require.NoError(t, (<-first).err)
		_, err = m.Get(t.Context(), pod("y"), storage.MostRecent)
		require.NoError(t, err)
		require.NoError(t, m.Close())
	})
}

func TestCloseWaitsForCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, on, gate := gated(t)
		first := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
		second := in(func() (*storage.Record, error) { return create(t.Context(), m, "y") })
		closed := in(func() (*storage.Record, error) { return nil, m.Close() })
		assert.Empty(t, closed)
		_, err := create(t.Context(), m, "z")
		assert.ErrorIs(t, err, storage.ErrClosed)
		gate <- nil
		gate <- nil
		assert.NoError(t, (<-first).err)
		assert.NoError(t, (<-second).err)
		assert.NoError(t, (<-closed).err)
		assert.True(t, on.closed)
		require.NoError(t, m.Close())
	})
}

func TestFailureReachesEverybodyWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _, gate := gated(t)
		first := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
		var behind []chan outcome
		for i := range 5 {
			behind = append(behind, in(func() (*storage.Record, error) { return create(t.Context(), m, fmt.Sprint(i)) }))
		}
		gate <- errDisk
		assert.ErrorIs(t, (<-first).err, storage.ErrUnknown)
		for _, ended := range behind {
			err := (<-ended).err
			assert.ErrorIs(t, err, storage.ErrReadOnly, "it was not written")
			assert.ErrorIs(t, err, errDisk)
			assert.ErrorContains(t, status.From(err), errDisk.Error(), "clients learn why")
		}
		require.NoError(t, m.Close())
	})
}

func TestPanicOfTheBackendIsAFailure(t *testing.T) {
	on := &disk{platter: newPlatter(), before: func(*platter) error { panic("broken") }}
	m := (&disks{}).open(t, on)
	require.NoError(t, m.Register(t.Context(),
		storage.Resource{Name: pods, Namespaced: true, Extract: storage.NewExtractor()}))
	_, err := create(t.Context(), m, "x")
	assert.ErrorIs(t, err, storage.ErrUnknown)
	assert.ErrorContains(t, m.Ready(), "broken")
	require.NoError(t, m.Close())
}

func TestUnregisterWaitsForCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _, gate := gated(t)
		first := in(func() (*storage.Record, error) { return create(t.Context(), m, "x") })
		impatient, leave := context.WithCancel(t.Context())
		ended := in(func() (*storage.Record, error) { return nil, m.Unregister(impatient, pods, nil) })
		leave()
		assert.ErrorIs(t, (<-ended).err, context.Canceled)
		ended = in(func() (*storage.Record, error) { return nil, m.Unregister(t.Context(), pods, nil) })
		assert.Empty(t, ended)
		_, err := create(t.Context(), m, "y")
		assert.ErrorIs(t, err, storage.ErrResource)
		gate <- nil
		assert.NoError(t, (<-first).err)
		assert.NoError(t, (<-ended).err)
		require.NoError(t, m.Close())
	})
}

// If many clients write a resource, its upgrade finally pauses their writes instead of starting again forever.
func TestUpgradeAmongManyWrites(t *testing.T) {
	m := (&disks{}).open(t, &disk{platter: newPlatter()})
	form := storage.Resource{Name: pods, Namespaced: true, Extract: storage.NewExtractor()}
	require.NoError(t, m.Register(t.Context(), form))
	_, err := create(t.Context(), m, "x")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		var err error
		for n := 0; err == nil; n++ {
			_, err = m.Update(ctx, pod("x"), func(*storage.Record) ([]byte, error) { return podJSON("x", n%100), nil })
		}
		ended <- err
	}()
	form.Fingerprint = "2"
	rounds := 0
	form.Upgrade = func(json []byte) ([]byte, error) {
		rounds++
		for before := m.Revision(); rounds <= 8 && m.Revision() == before; { // until another writer has committed
			runtime.Gosched()
		}
		return json, nil
	}
	require.NoError(t, m.Register(t.Context(), form))
	stop()
	err = <-ended
	assert.True(t, errors.Is(err, context.Canceled) || errors.Is(err, storage.ErrUnknown), "%v", err)
	require.NoError(t, m.Close())
}
