package storagetest

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var compactionRules = []rule{
	{"Compact", "Compacted revisions give 410 Expired; all others stay readable.", func(s *subject) {
		scope := watch.Key{Resource: widgets}
		var revisions []watch.Revision
		for i := range 20 {
			revisions = append(revisions, s.put(widget("a", fmt.Sprint(i%5)), "red", i).Revision)
		}
		behind := s.watch(scope, revisions[3])
		ahead := s.watch(scope, revisions[12])
		quiet := s.watch(watch.Key{Resource: nodes}, revisions[0])
		before := s.list(storage.Query{Within: scope})
		require.NoError(s, s.store.Compact(s.ctx, revisions[10]))
		after := s.list(storage.Query{Within: scope})
		s.requireSame(before, after, "the latest state is not part of the history")

		for i, revision := range revisions {
			_, err := s.store.List(s.ctx, storage.Query{Within: scope, Revision: revision, Exact: true}, nil)
			cursor, watchErr := s.store.Watch(s.ctx, scope, revision)
			if i < 10 {
				require.True(s, status.IsExpired(err), "list at the %dth: %v", i, err)
				require.EqualError(s, err, "The resourceVersion for the provided list is too old.")
				require.True(s, status.IsExpired(watchErr), "watch from the %dth: %v", i, watchErr)
				require.EqualError(s, watchErr, fmt.Sprintf("too old resource version: %d (%d)", revision, revisions[10]))
				continue
			}
			require.NoError(s, err)
			require.NoError(s, watchErr)
			cursor.Close()
		}
		_, err := behind.Poll(nil)
		require.True(s, status.IsExpired(err), "the watch lost changes: %v", err)
		changes, err := ahead.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 7)
		changes, err = quiet.Poll(nil)
		require.NoError(s, err, "a watch that lost nothing goes on")
		require.Empty(s, changes)
	}},
	{"CompactNothing", "Compacting again, to an older revision, or beyond the latest revision is harmless.",
		func(s *subject) {
			revision := s.put(widget("a", "x"), "red", 1).Revision
			for _, through := range []watch.Revision{0, revision + 100, 1, revision} {
				require.NoError(s, s.store.Compact(s.ctx, through))
			}
			require.Equal(s, revision, s.store.Revision())
			page := s.list(storage.Query{Within: watch.Key{Resource: widgets}, Revision: revision, Exact: true})
			require.Len(s, page.Records, 1)
			next := s.put(widget("a", "x"), "green", 2).Revision
			require.Greater(s, next, revision)
			ctx, cancel := context.WithCancel(s.ctx)
			cancel()
			require.ErrorIs(s, s.store.Compact(ctx, next), context.Canceled)
		}},
	{"ExpiredPages", "All pages of a list are at its revision until that is compacted, and then give 410.",
		func(s *subject) {
			for i := range 5 {
				s.put(widget("a", fmt.Sprint(i)), "red", i)
			}
			scope := watch.Key{Resource: widgets}
			page := s.list(storage.Query{Within: scope, Limit: 2})
			s.put(widget("a", "3"), "green", 1)
			next := storage.Query{Within: scope, Limit: 2, After: page.Records[1].Key, Revision: page.Revision, Exact: true}
			require.Equal(s, "red", s.list(next).Records[1].Fields[0])
			require.NoError(s, s.store.Compact(s.ctx, s.store.Revision()))
			_, err := s.store.List(s.ctx, next, nil)
			require.True(s, status.IsExpired(err), "%v", err)
		}},
}
