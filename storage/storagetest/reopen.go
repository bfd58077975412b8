package storagetest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var reopenRules = []rule{
	{"Reopened", "Objects come back as they were, and no revision is used twice.", func(s *subject) {
		for n := range 40 {
			s.put(widget([]string{"a", "aa", "b"}[n%3], fmt.Sprint(n%10)), "red", n)
			s.put(storage.Key{Resource: nodes, Name: fmt.Sprint(n % 7)}, "green", n)
		}
		s.remove(widget("a", "0"))
		before := map[string]any{}
		for _, resource := range s.resources() {
			before[resource.Name] = loaded(s.list(storage.Query{Within: watch.Key{Resource: resource.Name}}).Records)
		}
		for range 3 {
			last := s.store.Revision()
			s.reopen()
			require.GreaterOrEqual(s, s.store.Revision(), last)
			for resource, was := range before {
				page := s.list(storage.Query{Within: watch.Key{Resource: resource}})
				require.Equal(s, was, loaded(page.Records))
			}
			s.checkInvariants()
		}
		last := s.store.Revision()
		require.Greater(s, s.put(widget("a", "new"), "red", 1).Revision, last)
	}},
	{"HistoryReopened", "Watches and pages from before go on after the store is opened again.", func(s *subject) {
		scope := watch.Key{Resource: widgets}
		m := newModel(s)
		for range 3 {
			for range 150 {
				m.write(1 + m.random.IntN(3))
			}
			m.checkEveryRevision()
			last := s.store.Revision()
			s.reopen()
			m.reopened(last)
			m.checkEveryRevision()
		}
		first := s.put(widget("a", "page-0"), "red", 1).Revision
		s.put(widget("a", "page-1"), "red", 1)
		page := s.list(storage.Query{Within: watch.Key{Resource: widgets, Namespace: "a"}, Limit: 1})
		s.put(widget("a", "page-1"), "green", 2)
		s.reopen()
		rest := s.list(storage.Query{Within: watch.Key{Resource: widgets, Namespace: "a"}, After: page.Records[0].Key,
			Revision: page.Revision, Exact: true})
		require.Equal(s, "red", rest.Records[len(rest.Records)-1].Fields[0])
		require.NoError(s, s.store.Compact(s.ctx, first))
		_, err := s.store.Watch(s.ctx, scope, first-1)
		require.True(s, status.IsExpired(err), "%v", err)
		s.reopen()
		_, err = s.store.Watch(s.ctx, scope, first-1)
		require.True(s, status.IsExpired(err), "compacted changes must not come back: %v", err)
		s.watch(scope, first)
	}},
	{"LinearizableReopenings", "A linearizability checker accepts a concurrent history that continues after the store is opened again.", linearizableReopenings},
	{"UnregisteredKept", "Records of a resource that is not registered stay as they are.", func(s *subject) {
		key := widget("a", "x")
		was := loaded(s.put(key, "red", 1))
		s.store = s.make.Reopen(s.T, s.store)
		nodesOnly := s.resources()[2]
		require.NoError(s, s.store.Register(s.ctx, nodesOnly))
		s.put(storage.Key{Resource: nodes, Name: "x"}, "red", 1)
		s.requireResourcesIn("a", []string{widgets})
		s.requireResourcesIn("b", nil)
		s.requireResourcesIn("", []string{nodes, widgets})
		s.reopen()
		got, err := s.store.Get(s.ctx, key, storage.MostRecent)
		require.NoError(s, err)
		require.Equal(s, was, loaded(got))
	}},
	{"UpgradeReopened", "Records of an older form are upgraded when they are loaded, at their revisions, and stay upgraded.", func(s *subject) {
		for n := range 30 {
			s.put(widget("a", fmt.Sprintf("%02d", n)), "red", n)
		}
		old := s.list(storage.Query{Within: watch.Key{Resource: widgets}})
		node := s.put(storage.Key{Resource: nodes, Name: "x"}, "red", 1)
		upgrades := 0
		next := s.resources()[0]
		next.Fingerprint = "2"
		next.Upgrade = func(json []byte) ([]byte, error) {
			upgrades++
			return bytes.ReplaceAll(json, []byte(`"red"`), []byte(`"crimson"`)), nil
		}
		broken := next
		broken.Upgrade = func([]byte) ([]byte, error) { return nil, errRefused }
		s.store = s.make.Reopen(s.T, s.store)
		require.ErrorIs(s, s.store.Register(s.ctx, broken), errRefused)
		check := func() {
			require.NoError(s, s.store.Register(s.ctx, s.resources()[2]))
			require.NoError(s, s.store.Register(s.ctx, next))
			page := s.list(storage.Query{Within: watch.Key{Resource: widgets}})
			require.Len(s, page.Records, len(old.Records))
			for i, r := range page.Records {
				require.Equal(s, old.Records[i].Revision, r.Revision)
				require.Equal(s, "crimson", r.Fields[0])
				s.checkRecord(r, next.Extract)
			}
			_, err := s.store.Watch(s.ctx, watch.Key{Resource: widgets}, old.Records[len(old.Records)-2].Revision)
			require.True(s, status.IsExpired(err), "the history has the older form: %v", err)
			s.watch(watch.Key{Resource: nodes}, node.Revision-1)
		}
		check()
		require.GreaterOrEqual(s, upgrades, len(old.Records))
		upgrades = 0
		s.store = s.make.Reopen(s.T, s.store)
		check()
		if s.make.Peer == nil { // a peer may be an older program, so a replica leaves the records to it until they are written
			require.Zero(s, upgrades, "the upgraded records were kept")
		}
		s.store = s.make.Reopen(s.T, s.store)
		require.NoError(s, s.store.Register(s.ctx, next))
		s.closed = true // the invariants of the suite's resources do not apply
	}},
	{"OlderProgram", "An older program serves records of a newer form, and refuses to write them.", func(s *subject) {
		key, other := widget("a", "x"), widget("a", "y")
		s.put(key, "red", 1)
		next := s.resources()[0]
		next.Fingerprint = "2"
		s.store = s.make.Reopen(s.T, s.store)
		require.NoError(s, s.store.Register(s.ctx, next))
		newer, err := s.store.Update(s.ctx, key, func(*storage.Record) ([]byte, error) {
			return bytes.Replace(object(key, "red", 2), []byte(`"spec":{`), []byte(`"spec":{"new":true,`), 1), nil
		})
		require.NoError(s, err)
		written := string(Text(newer))
		old := s.resources()[0]
		old.Upgrade = func(json []byte) ([]byte, error) { return bytes.Replace(json, []byte(`"new":true,`), nil, 1), nil }
		for range 2 {
			s.store = s.make.Reopen(s.T, s.store)
			require.NoError(s, s.store.Register(s.ctx, old))
			got, err := s.store.Get(s.ctx, key, storage.MostRecent)
			require.NoError(s, err)
			require.Equal(s, newer.Revision, got.Revision)
			require.NotContains(s, string(Text(got)), "new")
			for name, fn := range map[string]storage.UpdateFunc{
				"update": func(*storage.Record) ([]byte, error) { return object(key, "green", 3), nil },
				"delete": func(*storage.Record) ([]byte, error) { return nil, nil },
			} {
				_, err = s.store.Update(s.ctx, key, fn)
				require.ErrorIs(s, err, storage.ErrReadOnly, name)
				require.ErrorContains(s, err, `"2"`, "the error names the form")
				require.True(s, status.IsServiceUnavailable(err))
			}
			_, err = s.store.Update(s.ctx, key, func(r *storage.Record) ([]byte, error) { return Text(r), nil })
			require.NoError(s, err, "a no-op writes nothing")
			s.put(other, "red", 1)
		}
		require.NoError(s, s.store.Register(s.ctx, next))
		got, err := s.store.Get(s.ctx, key, storage.MostRecent)
		require.NoError(s, err)
		require.Equal(s, written, string(Text(got)),
			"nothing is lost, even if the program learns the newer form later")
		s.put(key, "blue", 4)
		s.store = s.make.Reopen(s.T, s.store)
		require.NoError(s, s.store.Register(s.ctx, next))
		got, err = s.store.Get(s.ctx, key, storage.MostRecent)
		require.NoError(s, err)
		require.Equal(s, "blue", got.Fields[0])
		s.closed = true
	}},
	{"LoadEnds", "Register changes nothing if its context ends while it loads.", func(s *subject) {
		for n := range 30 {
			var keys []storage.Key
			var texts [][]byte
			for i := range 100 {
				keys = append(keys, widget("a", fmt.Sprint(n*100+i)))
				texts = append(texts, object(keys[i], "red", i))
			}
			_, err := s.store.UpdateAll(s.ctx, keys, func([]*storage.Record) ([][]byte, error) { return texts, nil })
			require.NoError(s, err)
		}
		s.store = s.make.Reopen(s.T, s.store)
		for _, err := range s.everyCall(widget("a", "0")) {
			require.ErrorIs(s, err, storage.ErrResource)
		}
		ended := fmt.Errorf("ended")
		form := s.resources()[0]
		ctx := &countdown{Context: s.ctx, left: 2, err: ended}
		require.ErrorIs(s, s.store.Register(ctx, form), ended)
		for _, err := range s.everyCall(widget("a", "0")) {
			require.True(s, errors.Is(err, storage.ErrResource), "%v", err)
		}
		s.register()
		require.Len(s, s.list(storage.Query{Within: watch.Key{Resource: widgets}}).Records, 3000)
	}},
}
