package controller_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// brittle is a store that fails while the test wants it to.
type brittle struct {
	*memory.Store
	lists, watches atomic.Pointer[error]
	asked          atomic.Int64
	tried          chan time.Time // receives each failed attempt, if not nil
}

func (s *brittle) fail(err *error) error {
	select {
	case s.tried <- time.Now():
	default:
	}
	return *err
}

// attempts waits for a number of failed attempts, and returns their times.
func (s *brittle) attempts(n int) (at []time.Time) {
	for range n {
		at = append(at, <-s.tried)
	}
	return at
}

func (s *brittle) List(ctx context.Context, opts storage.Query, into []*storage.Record) (storage.Listing, error) {
	s.asked.Add(1)
	if err := s.lists.Load(); err != nil {
		return storage.Listing{}, s.fail(err)
	}
	return s.Store.List(ctx, opts, into)
}

func (s *brittle) Watch(ctx context.Context, scope watch.Key, after watch.Revision,
	terms ...watch.Term) (watch.Cursor[storage.Record], error) {
	if err := s.watches.Load(); err != nil {
		return nil, s.fail(err)
	}
	return s.Store.Watch(ctx, scope, after, terms...)
}

func newBrittle(t *testing.T) (*workshop, *brittle) {
	store := &brittle{Store: memory.New(storage.Options{}), tried: make(chan time.Time)}
	api, err := rest.New(rest.Options{Store: store}, rest.Resource[Gear]{Group: group, Version: "v1", Plural: "gears"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, errors.Join(api.Close(), store.Close())) })
	all := resttest.Client[Gear](t, api)
	return &workshop{t, api, store.Store, all, all.Namespace("default")}, store
}

// An informer retries after failures of the store, later each time, and logs
// them.
func TestInformerRetries(t *testing.T) {
	for name, failure := range map[string]error{
		"store error":         errors.New("the disk is on fire"),
		"unavailable":         status.ServiceUnavailable("no leader"),
		"too many requests":   status.TooManyRequests("later", 1),
		"too large a version": status.TooLargeResourceVersion(7, 3),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, store := newBrittle(t)
				w.create(gear("a", 1))
				store.lists.Store(&failure)
				var log bytes.Buffer
				informer := gearInformer(w, controller.InformerOptions[Gear]{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				var d diary
				informer.AddHandler(d.handler())
				began := time.Now()
				run(t, informer)
				synctest.Wait()
				assert.EqualValues(t, 1, store.asked.Load())
				at := store.attempts(100)
				assert.GreaterOrEqual(t, at[0].Sub(began), 800*time.Millisecond, "the informer does not retry at once")
				hour := 0
				for i := range at[1:] {
					assert.LessOrEqual(t, at[i+1].Sub(at[i]), time.Minute, "retries are at most a minute apart")
					if i > 10 {
						assert.GreaterOrEqual(t, at[i+1].Sub(at[i]), 30*time.Second,
							"after the first few, retries are at least half a minute apart")
					}
					if at[i].Sub(began) < time.Hour {
						hour++
					}
				}
				assert.Greater(t, hour, 60)
				synctest.Wait()
				assert.EqualValues(t, 101, store.asked.Load())
				assert.Equal(t, 101, strings.Count(log.String(), "informer failed"))
				assert.False(t, informer.HasSynced())
				assert.Empty(t, d.read())
				synced := make(chan struct{})
				informer.AddHandler(controller.Handler[Gear]{OnSynced: func() { close(synced) }})
				store.lists.Store(nil)
				<-synced
				assert.Equal(t, []string{"add a 1", "synced"}, d.read())
			})
		})
	}
}

// If a watch fails, the next one continues where it stopped, without a list.
func TestInformerResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newBrittle(t)
		w.create(gear("a", 1))
		failure := errors.New("the line is cut")
		store.watches.Store(&failure)
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		var d diary
		informer.AddHandler(d.handler())
		stop := run(t, informer)
		assert.Equal(t, []string{"add a 1", "synced"}, d.read())
		w.create(gear("b", 2))
		w.delete("b")
		w.modify("a", func(g *Gear) { g.Spec.Teeth = 3 })
		store.attempts(3)
		assert.Empty(t, d.read())
		updated := make(chan struct{})
		informer.AddHandler(controller.Handler[Gear]{OnUpdate: func(_, _ *Gear) { close(updated) }})
		store.watches.Store(nil)
		<-updated
		assert.Equal(t, []string{"add b 2", "delete b 2", "update a 1->3"}, d.read())
		assert.EqualValues(t, 1, store.asked.Load())

		store.watches.Store(&failure)
		stop()
		ended := make(chan error)
		go func() { ended <- informer.Run(context.Background()) }()
		store.attempts(1)
		require.NoError(t, w.api.Close())
		assert.ErrorIs(t, <-ended, watch.ErrClosed, "the informer does not retry after the API has closed")
	})
}
