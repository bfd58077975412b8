package storagetest

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var groupRules = []rule{
	{"Group", "Several objects written together get ascending revisions in the order of their keys.", func(s *subject) {
		s.put(widget("a", "changed"), "red", 1)
		s.put(widget("a", "deleted"), "red", 1)
		s.put(widget("a", "same"), "red", 1)
		before := s.store.Revision()
		keys := []storage.Key{widget("a", "deleted"), widget("a", "same"), {Resource: nodes, Name: "created"},
			widget("a", "none"), widget("a", "changed")}
		records, err := s.store.UpdateAll(s.ctx, keys, func(current []*storage.Record) ([][]byte, error) {
			require.Len(s, current, len(keys))
			require.Nil(s, current[2])
			require.Nil(s, current[3])
			return [][]byte{nil, Text(current[1]), object(keys[2], "green", 2), nil, object(keys[4], "green", 2)}, nil
		})
		require.NoError(s, err)
		first, last := records[0].Revision, records[4].Revision
		require.Greater(s, first, before)
		require.LessOrEqual(s, records[1].Revision, before)
		require.Greater(s, records[2].Revision, first)
		require.Nil(s, records[3])
		require.Greater(s, last, records[2].Revision)
		require.Equal(s, last, s.store.Revision())

		cursor := s.watch(watch.Key{Resource: widgets}, before)
		changes, err := cursor.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 2)
		require.Equal(s, []watch.Revision{first, last}, []watch.Revision{changes[0].Revision, changes[1].Revision})
		require.Nil(s, changes[0].Current)
		s.requireSame(records[4], changes[1].Current)

		cursor = s.watch(watch.Key{Resource: widgets}, first)
		changes, err = cursor.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 1, "a watch that resumes inside a group gets the rest")
		for _, inside := range []watch.Revision{first, records[2].Revision, last} {
			page := s.list(storage.Query{Within: watch.Key{Resource: widgets}, Revision: inside, Exact: true})
			require.Equal(s, last, page.Revision, "no list shows a revision inside a group")
			require.Equal(s, []string{"a/changed", "a/same"}, names(page.Records))
		}
	}},
	{"BadGroup", "UpdateAll rejects duplicate keys, and a wrong number of texts.", func(s *subject) {
		before := s.store.Revision()
		_, err := s.store.UpdateAll(s.ctx, []storage.Key{widget("a", "x"), widget("a", "x")},
			func([]*storage.Record) ([][]byte, error) {
				return [][]byte{object(widget("a", "x"), "red", 1), object(widget("a", "x"), "green", 1)}, nil
			})
		require.ErrorIs(s, err, storage.ErrKey)
		_, err = s.store.UpdateAll(s.ctx, []storage.Key{widget("a", "x")},
			func([]*storage.Record) ([][]byte, error) { return nil, nil })
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
			return [][]byte{Text(current[0]), object(keys[1], current[0].Fields[0], 1)}, nil
		})
		require.NoError(s, err)
		require.Equal(s, 2, runs)
		got, err := s.store.Get(s.ctx, keys[1], 0)
		require.NoError(s, err)
		require.Equal(s, "green", got.Fields[0])
	}},
	{"GroupIsAtomic", "No list, watch or position shows a part of a group, and no revision of another write lies within it.", func(s *subject) {
		const rounds, writers = 100, 3
		keys := []storage.Key{widget("a", "left"), widget("z", "right")}
		all := &spans{}
		set := func(n int) error {
			records, err := s.store.UpdateAll(s.ctx, keys, func([]*storage.Record) ([][]byte, error) {
				return [][]byte{object(keys[0], fmt.Sprint(n), 0), object(keys[1], fmt.Sprint(n), 0)}, nil
			})
			if err == nil {
				all.add(records[0].Revision, records[1].Revision)
			}
			return err
		}
		require.NoError(s, set(0))
		start := s.store.Revision()
		scope := watch.Key{Resource: widgets}
		var writing, reading sync.WaitGroup
		written := make(chan struct{})
		for w := range writers {
			writing.Go(func() {
				for i := range rounds {
					assert.NoError(s, set(1+w*rounds+i))
				}
			})
		}
		writing.Go(func() {
			key := storage.Key{Resource: nodes, Name: "alone"}
			for i := range rounds {
				r := s.put(key, "red", i)
				all.add(r.Revision, r.Revision)
			}
		})
		reading.Go(func() {
			for ended := false; !ended; {
				select {
				case <-written:
					ended = true
				default:
				}
				page, err := s.store.List(s.ctx, storage.Query{Within: scope}, nil)
				if !assert.NoError(s, err) || !assert.Equal(s, page.Records[0].Fields[0], page.Records[1].Fields[0]) {
					return
				}
				all.see(page.Revision)
			}
		})
		reading.Go(func() {
			cursor, err := s.store.Watch(s.ctx, scope, start)
			if !assert.NoError(s, err) {
				return
			}
			defer cursor.Close()
			for count := 0; count < 2*writers*rounds; {
				changes, err := cursor.Next(s.ctx, nil)
				if !assert.NoError(s, err) || !assert.Zero(s, len(changes)%2) {
					return
				}
				for i := 0; i < len(changes); i += 2 {
					assert.Equal(s, changes[i].Current.Fields[0], changes[i+1].Current.Fields[0])
				}
				all.see(cursor.Position())
				count += len(changes)
			}
		})
		writing.Wait()
		close(written)
		reading.Wait()
		all.check(s)
	}},
}

// spans are the first and last revisions of groups, and the revisions that readers have seen.
type spans struct {
	mu     sync.Mutex
	groups [][2]watch.Revision
	seen   []watch.Revision
}

func (a *spans) add(first, last watch.Revision) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.groups = append(a.groups, [2]watch.Revision{first, last})
}

func (a *spans) see(revision watch.Revision) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = append(a.seen, revision)
}

// check requires that groups do not overlap, and that readers have seen no revision before the end of its group.
func (a *spans) check(s *subject) {
	slices.SortFunc(a.groups, func(x, y [2]watch.Revision) int { return cmp.Compare(x[0], y[0]) })
	for i, g := range a.groups[1:] {
		require.Greater(s, g[0], a.groups[i][1], "another write has a revision within a group")
	}
	for _, revision := range a.seen {
		i, begins := slices.BinarySearchFunc(a.groups, revision,
			func(g [2]watch.Revision, r watch.Revision) int { return cmp.Compare(g[0], r) })
		if begins {
			i++
		}
		if i > 0 {
			g := a.groups[i-1]
			require.False(s, g[0] <= revision && revision < g[1], "a reader saw revision %d within the group from %d to %d",
				revision, g[0], g[1])
		}
	}
}
