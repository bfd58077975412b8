package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// countdown is a context that ends after a number of calls of Err.
type countdown struct {
	context.Context
	left int
	err  error
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return c.err
	}
	return c.Context.Err()
}

var failRules = []rule{
	{"ReadOnly", "After a failed commit the store takes no writes, says why, and serves reads and watches.",
		func(s *subject) {
			s.failed = true
			key := widget("a", "x")
			current := s.put(key, "red", 1)
			before := s.store.Revision()
			cursor := s.watch(watch.Key{Resource: widgets}, before-1)
			prober, ok := s.store.(storage.Prober)
			require.True(s, ok)
			require.NoError(s, prober.Ready())
			s.make.Fail(s.T, s.store, 0)
			_, err := s.store.Update(s.ctx, key, func(*storage.Record) ([]byte, error) { return object(key, "green", 2), nil })
			require.ErrorIs(s, err, storage.ErrUnknown)
			require.Equal(s, 504, status.CodeOf(err))
			require.Zero(s, status.From(err).Status.Details.RetryAfterSeconds)
			for range 2 {
				_, err = s.store.Update(s.ctx, key, func(r *storage.Record) ([]byte, error) {
					s.requireSame(current, r, "what failed is not seen")
					return object(key, "blue", 3), nil
				})
				require.ErrorIs(s, err, storage.ErrReadOnly)
				require.Equal(s, 503, status.CodeOf(err))
				require.NotZero(s, status.From(err).Status.Details.RetryAfterSeconds)
				require.ErrorIs(s, prober.Ready(), storage.ErrReadOnly)
			}
			require.Equal(s, before, s.store.Revision())
			changes, err := cursor.Poll(nil)
			require.NoError(s, err)
			require.Len(s, changes, 1)
			got, err := s.store.Update(s.ctx, key, func(r *storage.Record) ([]byte, error) { return Text(r), nil })
			require.NoError(s, err, "a no-op writes nothing")
			s.requireSame(current, got)
			_, err = s.store.Update(s.ctx, key, func(r *storage.Record) ([]byte, error) { return nil, errRefused })
			require.Equal(s, errRefused, err)
			s.checkInvariants()
		}},
	{"FailedBatch", "When a commit fails, nothing that was built on it is acknowledged, and readers see only what was acknowledged or is to be.", func(s *subject) {
		s.failed = true
		const writers = 8
		key := widget("a", "counter")
		s.put(key, "0", 0)
		s.make.Fail(s.T, s.store, 20)
		var acknowledged, refused atomic.Int64
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				for {
					var n int
					r, err := s.store.Update(s.ctx, key, func(current *storage.Record) ([]byte, error) {
						_, err := fmt.Sscan(current.Fields[0], &n)
						return object(key, fmt.Sprint(n+1), n+1), err
					})
					if err != nil {
						assert.True(s, errors.Is(err, storage.ErrUnknown) || errors.Is(err, storage.ErrReadOnly), "%v", err)
						refused.Add(1)
						return
					}
					assert.Equal(s, fmt.Sprint(n+1), r.Fields[0])
					acknowledged.Add(1)
				}
			})
		}
		all.Wait()
		got, err := s.store.Get(s.ctx, key, storage.MostRecent)
		require.NoError(s, err)
		require.Equal(s, fmt.Sprint(acknowledged.Load()), got.Fields[0])
		require.EqualValues(s, writers, refused.Load())
		s.checkInvariants()
	}},
	{"LinearizableWithFailures", "Histories with groups are linearizable also if commits begin to fail.",
		func(s *subject) {
			s.failed = true
			s.make.Fail(s.T, s.store, 60)
			linearizableGroups(s)
		}},
}
