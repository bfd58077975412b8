package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var registerRules = []rule{
	{"RegisteredAgain", "Registering a resource again unchanged has no effect.", func(s *subject) {
		before := s.put(widget("a", "x"), "red", 1)
		cursor, err := s.store.Watch(s.ctx, watch.Key{Resource: widgets}, s.store.Revision())
		require.NoError(s, err)
		defer cursor.Close()
		same := s.resources()[0]
		same.Upgrade = func([]byte) ([]byte, error) { return nil, errors.New("Upgrade must not run") }
		require.NoError(s, s.store.Register(s.ctx, same))
		after, err := s.store.Get(s.ctx, widget("a", "x"), 0)
		require.NoError(s, err)
		s.requireSame(before, after)
		changes, err := cursor.Poll(nil)
		require.NoError(s, err)
		require.Empty(s, changes)
	}},
	{"RegisteredDuringAWrite", "A write under way calls its function again when its resource is registered by another declaration.", func(s *subject) {
		calls := 0
		key := widget("a", "x")
		record, err := s.store.Update(s.ctx, key, func(*storage.Record) ([]byte, error) {
			if calls++; calls == 1 {
				declared := s.resources()[0]
				declared.Declaration = "another"
				require.NoError(s, s.store.Register(s.ctx, declared))
			}
			return object(key, "red", calls), nil
		})
		require.NoError(s, err)
		require.Equal(s, 2, calls)
		got, err := s.store.Get(s.ctx, key, 0)
		require.NoError(s, err)
		s.requireSame(record, got)
	}},
	{"Upgrade", "Registering a resource under another fingerprint upgrades its records at their revisions and ends its history.", func(s *subject) {
		key := widget("a", "x")
		first := s.put(key, "red", 1)
		second := s.put(key, "red", 2)
		other := s.put(storage.Key{Resource: nodes, Name: "x"}, "red", 1)
		revision := s.store.Revision()
		painted := s.resources()[0]
		painted.Fingerprint = "2"
		painted.Upgrade = func(json []byte) ([]byte, error) {
			return bytes.ReplaceAll(json, []byte(`"red"`), []byte(`"crimson"`)), nil
		}
		scope := watch.Key{Resource: widgets}
		paged := s.list(storage.Query{Within: scope, Revision: first.Revision, Exact: true})
		s.requireSame([]*storage.Record{first}, paged.Records)
		behind, upToDate := s.watch(scope, first.Revision), s.watch(scope, second.Revision)
		term, err := s.store.Watch(s.ctx, scope, first.Revision, red())
		require.NoError(s, err)
		defer term.Close()
		require.NoError(s, s.store.Register(s.ctx, painted))
		require.Equal(s, revision, s.store.Revision(), "an upgrade takes no revision")
		for name, cursor := range map[string]watch.Cursor[storage.Record]{"behind": behind, "behind, by a term": term} {
			_, err := cursor.Poll(nil)
			assert.True(s, status.IsExpired(err), "a watch that is %s: %v", name, err)
		}
		_, err = upToDate.Poll(nil)
		assert.NoError(s, err, "a watch that has read every change continues")

		got, err := s.store.Get(s.ctx, key, 0)
		require.NoError(s, err)
		assert.Equal(s, second.Revision, got.Revision)
		assert.Equal(s, second.Written, got.Written, "an upgrade is no write")
		assert.Contains(s, string(Text(got)), `"crimson"`)
		assert.Equal(s, "crimson", got.Fields[0], "the parts have the new form")
		old, err := second.JSON(s.ctx)
		assert.True(s, err == nil || status.IsExpired(err), "a store need not keep a text of the old form: %v", err)
		assert.NotContains(s, string(old), `"crimson"`, "a record never changes")
		kept, err := s.store.Get(s.ctx, other.Key, 0)
		require.NoError(s, err)
		s.assertSame(other, kept)

		s.checkHistoryEnds(scope, revision)
		cursor, err := s.store.Watch(s.ctx, watch.Key{Resource: widgets}, revision)
		require.NoError(s, err)
		defer cursor.Close()
		changes, err := cursor.Poll(nil)
		require.NoError(s, err)
		require.Empty(s, changes, "an upgrade sends no event")

		third := s.put(key, "green", 3)
		changes, err = cursor.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 1)
		s.assertSame(got, changes[0].Previous)
		s.assertSame(third, changes[0].Current)
	}},
	{"UpgradeOfNothing", "Registering a resource under another fingerprint ends its history, even if all its objects are deleted.", func(s *subject) {
		s.put(widget("a", "x"), "red", 1)
		s.put(widget("a", "x"), "red", 2)
		s.remove(widget("a", "x"))
		form := s.resources()[0]
		form.Fingerprint = "2"
		require.NoError(s, s.store.Register(s.ctx, form))
		s.checkHistoryEnds(watch.Key{Resource: widgets}, s.store.Revision())
	}},
	{"UpgradeOfOne", "Registering a resource under another fingerprint keeps the history of all other resources.",
		func(s *subject) {
			node := storage.Key{Resource: nodes, Name: "x"}
			start := s.store.Revision()
			first := s.put(node, "red", 1).Revision
			second := s.put(widget("a", "x"), "red", 1).Revision
			pair := []storage.Key{widget("a", "x"), node, widget("a", "y")}
			group, err := s.store.UpdateAll(s.ctx, pair, func([]*storage.Record) ([][]byte, error) {
				return [][]byte{object(pair[0], "green", 1), object(pair[1], "green", 1), object(pair[2], "green", 1)}, nil
			})
			require.NoError(s, err)
			s.put(node, "blue", 1)
			last := s.put(widget("a", "x"), "blue", 1).Revision
			everything, behind := s.watch(watch.Key{}, last), s.watch(watch.Key{}, last-1)
			scope := watch.Key{Resource: nodes}
			open := s.watch(scope, start)
			form := s.resources()[0]
			form.Fingerprint = "2"
			require.NoError(s, s.store.Register(s.ctx, form))
			white := s.put(node, "white", 1).Revision

			for _, cursor := range []watch.Cursor[storage.Record]{open, s.watch(scope, start)} {
				changes, err := cursor.Poll(nil)
				require.NoError(s, err)
				require.Len(s, changes, 4)
			}
			begin, end := group[0].Revision, group[2].Revision
			for revision, want := range map[watch.Revision]string{first: "red", second: "red", begin: "green", end: "green",
				last: "blue", white: "white"} {
				page := s.list(storage.Query{Within: scope, Revision: revision, Exact: true})
				require.Equal(s, want, page.Records[0].Fields[0], "+%d", revision-start)
				if revision == begin {
					require.Equal(s, end, page.Revision, "no list shows a part of a group, even if the log has dropped the rest")
				}
			}
			_, err = s.store.Watch(s.ctx, watch.Key{}, last-1)
			require.True(s, status.IsExpired(err), "a watch of all resources has lost changes: %v", err)
			changes, err := behind.Poll(nil)
			require.NoError(s, err)
			require.Len(s, changes, 2)
			require.True(s, changes[0].Lost(), "the watch has lost the last change of the resource")
			require.Equal(s, watch.Key{Resource: widgets}, changes[0].Key)
			require.False(s, changes[1].Lost())
			changes, err = everything.Poll(nil)
			require.NoError(s, err)
			require.Len(s, changes, 1, "the watch has lost nothing")
		}},
	{"UpgradeFails", "If one record cannot be upgraded, the store stays unchanged.", func(s *subject) {
		key := widget("a", "x")
		before := s.put(key, "red", 1)
		s.put(widget("a", "y"), "red", 1)
		broken := errors.New("broken")
		form := s.resources()[0]
		form.Fingerprint = "2"
		for name, upgrade := range map[string]func(json []byte) ([]byte, error){
			"an error": func([]byte) ([]byte, error) { return nil, broken },
			"another resourceVersion": func([]byte) ([]byte,
				error) {
				return []byte(`{"metadata":{"resourceVersion":"0"}}`), nil
			},
			"not a JSON object":          func([]byte) ([]byte, error) { return []byte(`[]`), nil },
			"an object without metadata": func([]byte) ([]byte, error) { return []byte(`{}`), nil },
		} {
			form.Upgrade = upgrade
			err := s.store.Register(s.ctx, form)
			require.ErrorContains(s, err, widgets+" a/", name)
			if !errors.Is(err, broken) {
				require.ErrorIs(s, err, storage.ErrJSON, name)
			}
			after, err := s.store.Get(s.ctx, key, 0)
			require.NoError(s, err)
			s.requireSame(before, after)
		}
	}},
	{"UpgradeAmongWrites", "An upgrade keeps writes that are committed meanwhile, and leaves no record in the old form.",
		func(s *subject) {
			key := widget("a", "x")
			s.put(key, "red", 1)
			form := s.resources()[0]
			form.Fingerprint = "2"
			runs := 0
			revisions := map[string]watch.Revision{}
			form.Upgrade = func(json []byte) ([]byte, error) {
				if runs++; runs == 1 { // Upgrade runs outside every lock, so it may write
					revisions["x"] = s.put(key, "red", 2).Revision
					revisions["y"] = s.put(widget("a", "y"), "red", 1).Revision
				}
				return bytes.ReplaceAll(json, []byte(`"red"`), []byte(`"crimson"`)), nil
			}
			require.NoError(s, s.store.Register(s.ctx, form))
			for _, name := range []string{"x", "y"} {
				got, err := s.store.Get(s.ctx, widget("a", name), 0)
				require.NoError(s, err)
				assert.Equal(s, "crimson", got.Fields[0])
				assert.Equal(s, revisions[name], got.Revision)
			}
		}},
	{"UpgradeWithinAWrite", "A write that began before an upgrade runs again on the upgraded record.", func(s *subject) {
		key := widget("a", "x")
		s.put(key, "red", 1)
		form := s.resources()[0]
		form.Fingerprint = "2"
		form.Extract = storage.NewExtractor([]string{"spec", "n"})
		var seen []string
		r, err := s.store.Update(s.ctx, key, func(current *storage.Record) ([]byte, error) {
			seen = append(seen, current.Fields[0])
			if err := s.store.Register(s.ctx, form); err != nil {
				return nil, err
			}
			return object(key, "green", 7), nil
		})
		require.NoError(s, err)
		assert.Equal(s, []string{"red", "1"}, seen, "the function ran again, because the upgrade replaced the record it saw")
		assert.Equal(s, []string{"7"}, r.Fields)
		require.NoError(s, s.store.Register(s.ctx, s.resources()[0]))
	}},
	{"Unregister", "An unregistered resource is not served; its records come back when it is registered again, without its history.", func(s *subject) {
		key, node := widget("a", "x"), storage.Key{Resource: nodes, Name: "x"}
		start := s.store.Revision()
		r := s.put(key, "red", 1)
		s.put(node, "red", 1)
		scope := watch.Key{Resource: widgets}
		cursor, other := s.watch(scope, s.store.Revision()), s.watch(watch.Key{Resource: nodes}, start)
		ended := make(chan error, 1)
		go func() {
			_, err := cursor.Next(s.ctx, nil)
			ended <- err
		}()
		require.NoError(s, s.store.Unregister(s.ctx, widgets, nil))
		err := <-ended
		require.ErrorIs(s, err, storage.ErrResource)
		require.Equal(s, 410, status.CodeOf(err))
		for name, err := range s.everyCall(key) {
			require.ErrorIs(s, err, storage.ErrResource, name)
		}
		changes, err := other.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 1, "other resources are not affected")
		require.NoError(s, s.store.Unregister(s.ctx, widgets, nil), "twice")
		require.NoError(s, s.store.Unregister(s.ctx, "unknown", nil))
		last := s.put(node, "green", 2).Revision

		form := s.resources()[0]
		form.Fingerprint = "2"
		form.Upgrade = func(json []byte) ([]byte, error) {
			return bytes.ReplaceAll(json, []byte(`"red"`), []byte(`"crimson"`)), nil
		}
		require.NoError(s, s.store.Register(s.ctx, form))
		got, err := s.store.Get(s.ctx, key, storage.MostRecent)
		require.NoError(s, err)
		require.Equal(s, r.Revision, got.Revision)
		require.Equal(s, "crimson", got.Fields[0])
		_, err = s.store.Watch(s.ctx, scope, start)
		require.True(s, status.IsExpired(err), "%v", err)
		again := s.watch(scope, last)
		s.put(key, "blue", 2)
		changes, err = again.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 1)

		require.NoError(s, s.store.Unregister(s.ctx, widgets, nil))
		require.NoError(s, s.store.Register(s.ctx, form))
		require.Len(s, s.list(storage.Query{Within: scope}).Records, 1)
		require.NoError(s, s.store.Register(s.ctx, s.resources()[0]))
	}},
	{"UnregisterWhileWriting", "A write that is under way when its resource is unregistered fails, and changes nothing.",
		func(s *subject) {
			node, key := storage.Key{Resource: nodes, Name: "x"}, widget("a", "x")
			s.put(node, "red", 1)
			before := s.put(key, "red", 1)
			calls := 0
			_, err := s.store.UpdateAll(s.ctx, []storage.Key{node, key}, func([]*storage.Record) ([][]byte, error) {
				if calls++; calls == 1 {
					s.put(node, "green", 2) // so the function would run again
					require.NoError(s, s.store.Unregister(s.ctx, widgets, nil))
				}
				return [][]byte{object(node, "blue", 3), object(key, "blue", 3)}, nil
			})
			require.ErrorIs(s, err, storage.ErrResource)
			require.NoError(s, s.store.Register(s.ctx, s.resources()[0]))
			got, err := s.store.Get(s.ctx, key, storage.MostRecent)
			require.NoError(s, err)
			require.Equal(s, before.Revision, got.Revision)
			require.Equal(s, "red", got.Fields[0])
			got, err = s.store.Get(s.ctx, node, storage.MostRecent)
			require.NoError(s, err)
			require.Equal(s, "green", got.Fields[0])
		}},
	{"ResourcesIn", "The store names the resources that have records in a namespace, whether or not they are registered.",
		func(s *subject) {
			none := []string(nil)
			s.requireResourcesIn("a", none)
			s.requireResourcesIn("", none)
			s.put(widget("a", "x"), "red", 1)
			s.put(widget("ab", "x"), "red", 1)
			s.put(storage.Key{Resource: longer, Namespace: "b", Name: "x"}, "red", 1)
			s.put(storage.Key{Resource: nodes, Name: "a"}, "red", 1)
			check := func() {
				s.Helper()
				s.requireResourcesIn("a", []string{widgets})
				s.requireResourcesIn("ab", []string{widgets})
				s.requireResourcesIn("b", []string{longer})
				s.requireResourcesIn("c", none)
				s.requireResourcesIn("", []string{nodes, widgets, longer})
			}
			check()
			for _, resource := range s.resources() {
				require.NoError(s, s.store.Unregister(s.ctx, resource.Name, nil))
				check()
			}
			s.register()
			s.remove(widget("a", "x"))
			s.requireResourcesIn("a", none)
			s.put(storage.Key{Resource: longer, Namespace: "a", Name: "y"}, "red", 1)
			s.requireResourcesIn("a", []string{longer})
			s.remove(storage.Key{Resource: nodes, Name: "a"})
			require.NoError(s, s.store.Unregister(s.ctx, nodes, nil))
			s.requireResourcesIn("", []string{widgets, longer})
			s.register()
		}},
	{"Holders", "A resource is served until all who have registered it have unregistered it or have ended.",
		func(s *subject) {
			key, first, second, third := widget("a", "x"), new(holder), new(holder), new(holder)
			require.NoError(s, s.store.Unregister(s.ctx, widgets, first), "it has not registered the resource")
			for _, h := range []*holder{first, second, third} {
				form := s.resources()[0]
				form.Holder = h
				require.NoError(s, s.store.Register(s.ctx, form))
				require.NoError(s, s.store.Register(s.ctx, form), "twice")
			}
			cursor := s.watch(watch.Key{Resource: widgets}, s.store.Revision())
			require.NoError(s, s.store.Unregister(s.ctx, widgets, first))
			require.NoError(s, s.store.Unregister(s.ctx, widgets, nil))
			s.put(key, "red", 1)
			changes, err := cursor.Poll(nil)
			require.NoError(s, err)
			require.Len(s, changes, 1)
			third.ended.Store(true)
			require.NoError(s, s.store.Unregister(s.ctx, widgets, second))
			_, err = s.store.Get(s.ctx, key, storage.MostRecent)
			require.ErrorIs(s, err, storage.ErrResource)
			require.NoError(s, s.store.Register(s.ctx, s.resources()[0]))
			require.Len(s, s.list(storage.Query{Within: watch.Key{Resource: widgets}}).Records, 1)
		}},
	{"UnregisterEmpty", "A resource without records may come back with another scope, and never with its history.",
		func(s *subject) {
			key, scope := widget("a", "x"), watch.Key{Resource: widgets}
			start := s.store.Revision()
			s.put(key, "red", 1)
			cluster := s.resources()[0]
			cluster.Namespaced = false
			require.NoError(s, s.store.Unregister(s.ctx, widgets, nil))
			require.ErrorIs(s, s.store.Register(s.ctx, cluster), storage.ErrResource, "it has a record")
			require.NoError(s, s.store.Register(s.ctx, s.resources()[0]))
			s.remove(key)
			require.NoError(s, s.store.Unregister(s.ctx, widgets, nil))
			ended := s.put(storage.Key{Resource: nodes, Name: "x"}, "red", 1).Revision
			require.NoError(s, s.store.Register(s.ctx, cluster))
			_, err := s.store.Watch(s.ctx, scope, start)
			require.True(s, status.IsExpired(err), "%v", err)
			cursor := s.watch(scope, ended)
			s.put(storage.Key{Resource: widgets, Name: "x"}, "red", 1)
			changes, err := cursor.Poll(nil)
			require.NoError(s, err)
			require.Len(s, changes, 1)
			require.Len(s, s.list(storage.Query{Within: scope}).Records, 1)
			s.remove(storage.Key{Resource: widgets, Name: "x"})
			require.NoError(s, s.store.Unregister(s.ctx, widgets, nil))
			require.NoError(s, s.store.Register(s.ctx, s.resources()[0]))
			require.Empty(s, s.list(storage.Query{Within: scope}).Records)
			s.put(key, "green", 2)
		}},
}

// holder registers resources.
type holder struct{ ended atomic.Bool }

// Ended implements [storage.Holder].
func (h *holder) Ended() bool { return h.ended.Load() }

// checkHistoryEnds checks that the store has dropped all changes before a revision, and that nothing has
// changed since.
func (s *subject) checkHistoryEnds(scope watch.Key, at watch.Revision) {
	s.Helper()
	_, err := s.store.List(s.ctx, storage.Query{Within: scope, Revision: at - 1, Exact: true}, nil)
	require.True(s, status.IsExpired(err), "%v", err)
	_, err = s.store.Watch(s.ctx, scope, at-1)
	require.True(s, status.IsExpired(err), "%v", err)
	require.EqualError(s, err, fmt.Sprintf("too old resource version: %d (%d)", at-1, at))
	page := s.list(storage.Query{Within: scope, Revision: at, Exact: true})
	latest := s.list(storage.Query{Within: scope})
	latest.Changed = 0 // exact lists do not have it
	s.requireSame(latest, page)
	changes, err := s.watch(scope, at).Poll(nil)
	require.NoError(s, err)
	require.Empty(s, changes)
}

// requireResourcesIn checks which resources have records in a namespace.
func (s *subject) requireResourcesIn(namespace string, want []string) {
	s.Helper()
	got, err := s.store.ResourcesIn(s.ctx, namespace)
	require.NoError(s, err)
	require.Equal(s, want, got)
}
