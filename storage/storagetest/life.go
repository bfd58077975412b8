package storagetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var lifeRules = []rule{
	{"Register", "The store serves a resource only after it is registered, and does not let its scope change.",
		func(s *subject) {
			unknown := storage.Key{Resource: "unknown", Namespace: "a", Name: "x"}
			for name, err := range s.everyCall(unknown) {
				assert.ErrorIs(s, err, storage.ErrResource, name)
			}
			rescoped := s.resources()[0]
			rescoped.Namespaced = false
			require.ErrorIs(s, s.store.Register(s.ctx, rescoped), storage.ErrResource, "with another scope")
			require.ErrorIs(s, s.store.Register(s.ctx, storage.Resource{Name: "x"}), storage.ErrResource, "without an extractor")
			require.ErrorIs(s, s.store.Register(s.ctx, storage.Resource{Extract: storage.ExtractMetadata}), storage.ErrResource,
				"without a name")
		}},
	{"Keys", "A key has a name, and it has a namespace if and only if its resource is namespaced.", func(s *subject) {
		for _, key := range []storage.Key{{Resource: widgets, Name: "x"}, {Resource: nodes, Namespace: "a", Name: "x"}} {
			for name, err := range s.everyCall(key) {
				assert.ErrorIs(s, err, storage.ErrKey, "%s %v", name, key)
			}
		}
		_, err := s.store.Get(s.ctx, storage.Key{Resource: widgets, Namespace: "a"}, 0)
		require.ErrorIs(s, err, storage.ErrKey)
	}},
	{"Revisions", "Revisions start above 0, ascend across all resources of the store, and stay below 2^53.",
		func(s *subject) {
			require.NotZero(s, s.store.Revision(), "0 means any on the wire")
			require.NotZero(s, s.list(storage.Query{Within: watch.Key{Resource: widgets}}).Revision)
			for _, key := range []storage.Key{widget("a", "x"), {Resource: nodes, Name: "x"},
				{Resource: longer, Namespace: "a", Name: "x"}, widget("b", "x")} {
				before := s.store.Revision()
				r := s.put(key, "red", 1)
				require.Greater(s, r.Revision, before)
				require.Equal(s, r.Revision, s.store.Revision(), "an acknowledged write is visible")
			}
			before := s.store.Revision()
			r := s.remove(widget("a", "x"))
			require.Greater(s, r.Revision, before)
			require.Equal(s, r.Revision, s.store.Revision())
			require.Less(s, r.Revision, watch.Revision(1)<<53)
		}},
	{"FutureRevision", "A read or watch at a revision that the store has not reached waits for it, for a bounded time.",
		func(s *subject) {
			key := widget("a", "x")
			next := s.store.Revision() + 1
			var reads sync.WaitGroup
			reads.Go(func() {
				r, err := s.store.Get(s.ctx, key, next)
				if s.make.Peer != nil && errors.Is(err, storage.ErrNotFound) {
					return // replicas may move their revision forward without a write
				}
				if assert.NoError(s, err) {
					assert.GreaterOrEqual(s, r.Revision, next)
				}
			})
			reads.Go(func() {
				page, err := s.store.List(s.ctx, storage.Query{Within: watch.Key{Resource: widgets}, Revision: next}, nil)
				if assert.NoError(s, err) && s.make.Peer == nil {
					assert.Len(s, page.Records, 1)
				}
			})
			future := s.put(key, "red", 1).Revision + farFuture
			reads.Wait()

			ctx, cancel := context.WithTimeout(s.ctx, time.Millisecond)
			defer cancel()
			_, err := s.store.Get(ctx, key, future)
			require.ErrorIs(s, err, context.DeadlineExceeded, "the caller's own timeout")
			_, err = s.store.Watch(ctx, key, future)
			require.ErrorIs(s, err, context.DeadlineExceeded, "the caller's own timeout")

			for _, exact := range []bool{false, true} {
				reads.Go(func() {
					_, err := s.store.List(s.ctx, storage.Query{Within: key, Revision: future, Exact: exact}, nil)
					assert.True(s, status.IsTooLargeResourceVersion(err), "%v", err)
				})
			}
			reads.Go(func() {
				_, err := s.store.Watch(s.ctx, key, future)
				assert.True(s, status.IsTooLargeResourceVersion(err), "%v", err)
			})
			_, err = s.store.Get(s.ctx, key, future)
			require.True(s, status.IsTooLargeResourceVersion(err), "%v", err)
			reads.Wait()
		}},
	{"NoRevision", "A read with MostRecent shows every acknowledged write; a read with Any never waits.",
		func(s *subject) {
			key := widget("a", "x")
			scope := watch.Key{Resource: widgets}
			for _, any := range []watch.Revision{storage.Any, storage.MostRecent} {
				require.Empty(s, s.list(storage.Query{Within: scope, Revision: any}).Records)
				_, err := s.store.Get(s.ctx, key, any)
				require.ErrorIs(s, err, storage.ErrNotFound)
			}
			r := s.put(key, "red", 1)
			got, err := s.store.Get(s.ctx, key, storage.MostRecent)
			require.NoError(s, err)
			require.Equal(s, r.Revision, got.Revision)
			require.Len(s, s.list(storage.Query{Within: scope, Revision: storage.MostRecent}).Records, 1)
			s.remove(key)
			_, err = s.store.Get(s.ctx, key, storage.MostRecent)
			require.ErrorIs(s, err, storage.ErrNotFound)
			require.Empty(s, s.list(storage.Query{Within: scope, Revision: storage.MostRecent}).Records)
		}},
	{"EndedContext", "A call whose context has ended changes nothing.", func(s *subject) {
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		before := s.store.Revision()
		_, err := s.store.Update(ctx, widget("a", "x"),
			func(*storage.Record) ([]byte, error) { return object(widget("a", "x"), "red", 1), nil })
		require.ErrorIs(s, err, context.Canceled)
		require.Equal(s, before, s.store.Revision())
	}},
	{"Close", "After Close every call fails, every watch and every waiting read ends, and no goroutine is left.",
		func(s *subject) {
			s.put(widget("a", "x"), "red", 1)
			revision := s.store.Revision()
			var ends sync.WaitGroup
			for range 10 {
				cursor := s.watch(watch.Key{Resource: widgets}, revision)
				ends.Go(func() {
					_, err := cursor.Next(s.ctx, nil)
					assert.ErrorIs(s, err, storage.ErrClosed)
				})
				ends.Go(func() {
					_, err := s.store.Get(s.ctx, widget("a", "x"), revision+farFuture)
					assert.ErrorIs(s, err, storage.ErrClosed)
				})
			}
			_, err := s.store.Update(s.ctx, widget("a", "x"), func(*storage.Record) ([]byte, error) {
				assert.NoError(s, s.store.Close())
				return object(widget("a", "x"), "green", 2), nil
			})
			require.ErrorIs(s, err, storage.ErrClosed, "closed between read and commit")
			ends.Wait()
			require.NoError(s, s.store.Close(), "twice")
			for name, err := range s.everyCall(widget("a", "x")) {
				assert.ErrorIs(s, err, storage.ErrClosed, name)
			}
			require.ErrorIs(s, s.store.Compact(s.ctx, revision), storage.ErrClosed)
			_, err = s.store.ResourcesIn(s.ctx, "a")
			require.ErrorIs(s, err, storage.ErrClosed)
			require.ErrorIs(s, s.store.Register(s.ctx, storage.Resource{Name: "late", Extract: storage.ExtractMetadata}),
				storage.ErrClosed)
			var asStatus *status.Error
			require.True(s, errors.As(storage.ErrClosed, &asStatus), "the error can be sent to a client as a Status")
			s.closed = true
		}},
}

// everyCall calls every method that takes a key or scope, and returns the errors.
func (s *subject) everyCall(key storage.Key) map[string]error {
	errs := map[string]error{}
	_, errs["Get"] = s.store.Get(s.ctx, key, 0)
	_, errs["List"] = s.store.List(s.ctx, storage.Query{Within: key}, nil)
	_, errs["Watch"] = s.store.Watch(s.ctx, key, s.store.Revision())
	_, errs["Update"] = s.store.Update(s.ctx, key,
		func(*storage.Record) ([]byte, error) { return object(key, "red", 1), nil })
	_, errs["UpdateAll"] = s.store.UpdateAll(s.ctx, []storage.Key{key}, func([]*storage.Record) ([][]byte, error) {
		return [][]byte{object(key, "red", 1)}, nil
	})
	return errs
}
