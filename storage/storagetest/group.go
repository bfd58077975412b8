package storagetest

import (
	"fmt"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var groupRules = []rule{
	{"Group", "Several objects written together get consecutive revisions in the order of their keys.", func(s *subject) {
		s.put(widget("a", "changed"), "red", 1)
		s.put(widget("a", "deleted"), "red", 1)
		s.put(widget("a", "same"), "red", 1)
		before := s.store.Revision()
		keys := []storage.Key{widget("a", "deleted"), widget("a", "same"), {Resource: nodes, Name: "created"}, widget("a", "none"), widget("a", "changed")}
		records, err := s.store.UpdateAll(s.ctx, keys, func(current []*storage.Record) ([][]byte, error) {
			require.Len(s, current, len(keys))
			require.Nil(s, current[2])
			require.Nil(s, current[3])
			return [][]byte{nil, current[1].JSON, object(keys[2], "green", 2), nil, object(keys[4], "green", 2)}, nil
		})
		require.NoError(s, err)
		require.Equal(s, before+3, s.store.Revision())
		require.Equal(s, before+1, records[0].Revision)
		require.LessOrEqual(s, records[1].Revision, before)
		require.Equal(s, before+2, records[2].Revision)
		require.Nil(s, records[3])
		require.Equal(s, before+3, records[4].Revision)

		cursor := s.watch(watch.Scope{Resource: widgets}, before)
		changes, err := cursor.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 2)
		require.Equal(s, []watch.Revision{before + 1, before + 3}, []watch.Revision{changes[0].Revision, changes[1].Revision})
		require.Nil(s, changes[0].Current)
		require.Equal(s, records[4], changes[1].Current)

		cursor = s.watch(watch.Scope{Resource: widgets}, before+1)
		changes, err = cursor.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 1, "a watch that resumes inside a group gets the rest")
		for inside := before + 1; inside <= before+3; inside++ {
			page := s.list(storage.Query{Scope: watch.Scope{Resource: widgets}, Revision: inside, Exact: true})
			require.Equal(s, before+3, page.Revision, "no list shows a revision inside a group")
			require.Equal(s, []string{"a/changed", "a/same"}, names(page.Records))
		}
	}},
	{"BadGroup", "UpdateAll rejects duplicate keys, and a wrong number of texts.", func(s *subject) {
		before := s.store.Revision()
		_, err := s.store.UpdateAll(s.ctx, []storage.Key{widget("a", "x"), widget("a", "x")}, func([]*storage.Record) ([][]byte, error) {
			return [][]byte{object(widget("a", "x"), "red", 1), object(widget("a", "x"), "green", 1)}, nil
		})
		require.ErrorIs(s, err, storage.ErrKey)
		_, err = s.store.UpdateAll(s.ctx, []storage.Key{widget("a", "x")}, func([]*storage.Record) ([][]byte, error) { return nil, nil })
		require.ErrorIs(s, err, storage.ErrJSON)
		records, err := s.store.UpdateAll(s.ctx, nil, func([]*storage.Record) ([][]byte, error) { return nil, nil })
		require.NoError(s, err)
		require.Empty(s, records)
		require.Equal(s, before, s.store.Revision())
	}},
	{"GroupRunsAgain", "A group is committed only if none of its objects changed meanwhile, including those it leaves unchanged.", func(s *subject) {
		keys := []storage.Key{widget("a", "read"), widget("a", "written")}
		s.put(keys[0], "red", 1)
		runs := 0
		_, err := s.store.UpdateAll(s.ctx, keys, func(current []*storage.Record) ([][]byte, error) {
			if runs++; runs == 1 {
				s.put(keys[0], "green", 2)
			}
			return [][]byte{current[0].JSON, object(keys[1], current[0].Fields[0], 1)}, nil
		})
		require.NoError(s, err)
		require.Equal(s, 2, runs)
		got, err := s.store.Get(s.ctx, keys[1], 0)
		require.NoError(s, err)
		require.Equal(s, "green", got.Fields[0])
	}},
	{"GroupIsAtomic", "No list, watch or position shows a part of a group.", func(s *subject) {
		const rounds, writers = 100, 3
		pair := []storage.Key{widget("a", "left"), widget("z", "right")}
		set := func(n int) error {
			_, err := s.store.UpdateAll(s.ctx, pair, func([]*storage.Record) ([][]byte, error) {
				return [][]byte{object(pair[0], fmt.Sprint(n), 0), object(pair[1], fmt.Sprint(n), 0)}, nil
			})
			return err
		}
		require.NoError(s, set(0))
		start := s.store.Revision()
		scope := watch.Scope{Resource: widgets}
		end := start + 2*writers*rounds
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range rounds {
					assert.NoError(s, set(1+w*rounds+i))
				}
			})
		}
		onBoundary := func(r watch.Revision) bool { return (r-start)%2 == 0 }
		all.Go(func() {
			for revision := start; revision < end; {
				page, err := s.store.List(s.ctx, storage.Query{Scope: scope}, nil)
				if !assert.NoError(s, err) || !assert.True(s, onBoundary(page.Revision), "list at %d", page.Revision) ||
					!assert.Equal(s, page.Records[0].Fields[0], page.Records[1].Fields[0]) {
					return
				}
				revision = page.Revision
			}
		})
		all.Go(func() {
			cursor, err := s.store.Watch(s.ctx, scope, start)
			if !assert.NoError(s, err) {
				return
			}
			defer cursor.Close()
			for cursor.Position() < end {
				changes, err := cursor.Next(s.ctx, nil)
				if !assert.NoError(s, err) || !assert.Zero(s, len(changes)%2) || !assert.True(s, onBoundary(cursor.Position()), "position %d", cursor.Position()) {
					return
				}
				for i := 0; i < len(changes); i += 2 {
					assert.Equal(s, changes[i].Current.Fields[0], changes[i+1].Current.Fields[0])
				}
			}
		})
		all.Wait()
	}},
}
