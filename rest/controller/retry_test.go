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
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// brittle is a store that fails while it is told to.
type brittle struct {
	*storage.Memory
	lists, watches atomic.Pointer[error]
	asked          atomic.Int64
}

func (s *brittle) List(ctx context.Context, opts storage.ListOptions, into []*storage.Record) (storage.Page, error) {
	s.asked.Add(1)
	if err := s.lists.Load(); err != nil {
		return storage.Page{}, *err
	}
	return s.Memory.List(ctx, opts, into)
}

func (s *brittle) Watch(scope watch.Scope, after watch.Revision, terms ...watch.Term) (*watch.Cursor[storage.Record], error) {
	if err := s.watches.Load(); err != nil {
		return nil, *err
	}
	return s.Memory.Watch(scope, after, terms...)
}

func newBrittle(t *testing.T) (*workshop, *brittle) {
	store := &brittle{Memory: storage.NewMemory(storage.MemoryOptions{})}
	api, err := rest.New(rest.Options{Store: store}, rest.Resource[Gear]{Group: group, Version: "v1", Plural: "gears"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, errors.Join(api.Close(), store.Close())) })
	return &workshop{t, api, store.Memory, rest.ClientFor[Gear](api).Namespace("default")}, store
}

// An informer goes on after failures of the store, later each time, and says so.
func TestInformerRetries(t *testing.T) {
	for name, failure := range map[string]error{
		"an error of the store": errors.New("the disk is on fire"),
		"unavailable":           status.ServiceUnavailable("no leader"),
		"too many requests":     status.TooManyRequests("later", 1),
		"too large a version":   status.TooLargeResourceVersion(7, 3),
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
				run(t, informer)
				time.Sleep(799 * time.Millisecond)
				synctest.Wait()
				assert.EqualValues(t, 1, store.asked.Load(), "it does not try again at once")
				time.Sleep(time.Hour)
				synctest.Wait()
				tries := store.asked.Load()
				assert.Greater(t, tries, int64(60), "a minute apart at the most")
				assert.Less(t, tries, int64(130), "half a minute apart at least, after the first few")
				assert.EqualValues(t, tries, strings.Count(log.String(), "informer failed"))
				assert.False(t, informer.HasSynced())
				assert.Empty(t, d.read())
				store.lists.Store(nil)
				time.Sleep(time.Minute)
				assert.Equal(t, []string{"add a 1", "synced"}, d.read())
			})
		})
	}
}

// Where a watch fails, the next one goes on where it was, without a list.
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
		time.Sleep(time.Minute)
		assert.Empty(t, d.read())
		store.watches.Store(nil)
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"add b 2", "delete b 2", "update a 1->3"}, d.read())
		assert.EqualValues(t, 1, store.asked.Load())

		store.watches.Store(&failure)
		stop()
		ended := make(chan error)
		go func() { ended <- informer.Run(context.Background()) }()
		time.Sleep(time.Second)
		require.NoError(t, w.api.Close())
		assert.ErrorIs(t, <-ended, watch.ErrClosed, "the end of the API is for good")
	})
}
