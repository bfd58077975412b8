package storagetest

import (
	"fmt"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var listRules = []rule{
	{"Scopes", "A list returns the records of its scope, in order of namespace and name.", func(s *subject) {
		for i, key := range []storage.Key{widget("b", "x"), widget("a", "y"), widget("aa", "x"), widget("a", "x"),
			{Resource: nodes, Name: "n"}} {
			s.put(key, "red", i)
		}
		for _, c := range []struct {
			scope watch.Key
			want  []string
		}{
			{watch.Key{Resource: widgets}, []string{"a/x", "a/y", "aa/x", "b/x"}},
			{watch.Key{Resource: widgets, Namespace: "a"}, []string{"a/x", "a/y"}},
			{watch.Key{Resource: widgets, Namespace: "none"}, []string{}},
			{widget("a", "y"), []string{"a/y"}},
			{widget("a", "none"), []string{}},
			{watch.Key{Resource: nodes}, []string{"/n"}},
			{watch.Key{Resource: nodes, Name: "n"}, []string{"/n"}},
			{watch.Key{Resource: longer}, []string{}},
		} {
			page := s.list(storage.Query{Within: c.scope})
			require.Equal(s, c.want, names(page.Records), "%v", c.scope)
			require.Equal(s, s.store.Revision(), page.Revision)
		}
		kept, err := s.store.Get(s.ctx, widget("a", "x"), 0)
		require.NoError(s, err)
		page, err := s.store.List(s.ctx, storage.Query{Within: widget("b", "x")}, []*storage.Record{kept})
		require.NoError(s, err)
		require.Equal(s, []string{"a/x", "b/x"}, names(page.Records), "a list appends")
	}},
	{"Known", "A list of a known state contains no records.", func(s *subject) {
		s.put(widget("a", "x"), "red", 0)
		all := storage.Query{Within: watch.Key{Resource: widgets}}
		red := storage.Query{Within: all.Within, Match: func(r *storage.Record) bool { return r.Fields[0] == "red" }}
		first := s.list(all)
		if first.Changed == 0 {
			return // the store does not know its states
		}
		all.Known, red.Known = first.Changed, first.Changed
		known := func(q storage.Query) {
			page := s.list(q)
			require.Empty(s, page.Records)
			require.Equal(s, first.Changed, page.Changed)
			require.Equal(s, s.store.Revision(), page.Revision)
		}
		known(all)
		known(red)
		s.put(storage.Key{Resource: nodes, Name: "n"}, "red", 0)
		known(all) // another resource has changed
		exact := s.list(storage.Query{Within: all.Within, Known: first.Changed, Revision: first.Revision, Exact: true})
		require.Equal(s, []string{"a/x"}, names(exact.Records))
		require.Zero(s, exact.Changed)

		s.put(widget("a", "x"), "red", 1)
		second := s.list(all)
		require.Equal(s, []string{"a/x"}, names(second.Records), "an update changes the state")
		require.Greater(s, second.Changed, first.Changed)
		s.remove(widget("a", "x"))
		all.Known = second.Changed
		third := s.list(all)
		require.Empty(s, third.Records)
		require.Greater(s, third.Changed, second.Changed, "a deletion changes the state")
		all.Known = first.Changed
		require.Equal(s, third.Changed, s.list(all).Changed)
	}},
	{"Match", "A list leaves out records that do not match, and Limit counts those that do.", func(s *subject) {
		for i := range 20 {
			s.put(widget("a", fmt.Sprintf("%02d", i)), []string{"red", "green"}[i%2], i)
		}
		red := func(r *storage.Record) bool { return r.Fields[0] == "red" }
		scope := watch.Key{Resource: widgets}
		page := s.list(storage.Query{Within: scope, Match: red})
		require.Len(s, page.Records, 10)
		require.False(s, page.More)
		page = s.list(storage.Query{Within: scope, Match: red, Limit: 9})
		require.Len(s, page.Records, 9)
		require.True(s, page.More)
		require.EqualValues(s, -1, page.Remaining)
		page = s.list(storage.Query{Within: scope, Match: red, Limit: 9, After: page.Records[8].Key, Revision: page.Revision,
			Exact: true})
		require.Equal(s, []string{"a/18"}, names(page.Records))
		require.False(s, page.More, "the page has room")
		page = s.list(storage.Query{Within: scope, Match: red, Limit: 10})
		require.Len(s, page.Records, 10)
		require.True(s, page.More, "record 19 follows, though it is not red")
		page = s.list(storage.Query{Within: scope, Match: red, Limit: 10, After: page.Records[9].Key, Revision: page.Revision,
			Exact: true})
		require.Empty(s, page.Records)
		require.False(s, page.More)
		terms := []watch.Term{{Index: watch.Index{Field: 0}, Value: "red"}}
		page = s.list(storage.Query{Within: scope, Terms: terms, Limit: 10})
		require.True(s, page.More, "an index gives the same answer")
		page = s.list(storage.Query{Within: watch.Key{Resource: widgets, Namespace: "a", Name: "00"}, Limit: 1})
		require.False(s, page.More, "no other record has this name")
	}},
	{"Pages", "The pages of a list show one state, whatever is written between them, and report how many records remain.",
		func(s *subject) {
			for i := range 30 {
				s.put(widget([]string{"a", "aa", "b"}[i%3], fmt.Sprintf("%02d", i)), "red", i)
			}
			for _, scope := range []watch.Key{{Resource: widgets}, {Resource: widgets, Namespace: "aa"}} {
				for _, limit := range []int{1, 3, 7, 10, 29, 30, 31} {
					whole := s.list(storage.Query{Within: scope})
					page := s.list(storage.Query{Within: scope, Limit: limit})
					got := page.Records
					for n := 0; page.More; n++ {
						require.Len(s, page.Records, limit)
						require.EqualValues(s, len(whole.Records)-len(got), page.Remaining)
						s.put(widget("aa", fmt.Sprintf("new-%d", n)), "green", n) // before and after the end of the page
						s.put(widget("a", fmt.Sprintf("new-%d", n)), "green", n)
						s.put(whole.Records[len(whole.Records)-1].Key, "changed", s.changeCount())
						page = s.list(storage.Query{Within: scope, Limit: limit, After: got[len(got)-1].Key, Revision: whole.Revision,
							Exact: true})
						require.Equal(s, whole.Revision, page.Revision)
						got = append(got, page.Records...)
					}
					require.Zero(s, page.Remaining)
					s.requireSame(whole.Records, got, "limit %d", limit)
				}
			}
		}},
	{"PagesOfManyStates", "Each of several concurrent paged lists stays at its own revision; if there are too many, the store answers 429.", func(s *subject) {
		const clients, count = 24, 8
		key := func(resource string, n int) storage.Key {
			if resource == nodes {
				return storage.Key{Resource: nodes, Name: fmt.Sprint(n)}
			}
			return widget("a", fmt.Sprint(n))
		}
		var paging sync.WaitGroup
		for i := range clients {
			resource := []string{widgets, nodes}[i%2]
			for n := range count {
				s.put(key(resource, n), []string{"red", "green"}[(i+n)%2], i*count+n)
			}
			opts := storage.Query{Within: watch.Key{Resource: resource}}
			if i%4 < 2 {
				opts.Terms = []watch.Term{red()}
			}
			whole := s.list(opts)
			opts.Limit, opts.Revision, opts.Exact = 1, whole.Revision, true
			paging.Go(func() {
				var got []*storage.Record
				for more := true; more; {
					page, err := s.store.List(s.ctx, opts, nil)
					if status.IsTooManyRequests(err) && s.ctx.Err() == nil {
						continue
					}
					if !assert.NoError(s, err) || !assert.Equal(s, whole.Revision, page.Revision) {
						return
					}
					got = append(got, page.Records...)
					if more = page.More; more {
						opts.After = page.Records[0].Key
					}
				}
				s.assertSame(whole.Records, got)
			})
			s.remove(key(resource, i%count))
		}
		paging.Wait()
	}},
	{"After", "A page starts after a key, even if the key does not exist or lies before the scope.", func(s *subject) {
		for _, name := range []string{"b", "d", "f"} {
			s.put(widget("m", name), "red", 1)
			s.put(widget("n", name), "red", 1)
		}
		for _, c := range []struct {
			after storage.Key
			scope watch.Key
			want  []string
		}{
			{widget("m", "c"), watch.Key{Resource: widgets}, []string{"m/d", "m/f", "n/b", "n/d", "n/f"}},
			{widget("m", "f"), watch.Key{Resource: widgets}, []string{"n/b", "n/d", "n/f"}},
			{widget("mm", ""), watch.Key{Resource: widgets}, []string{"n/b", "n/d", "n/f"}},
			{widget("m", "f"), watch.Key{Resource: widgets, Namespace: "m"}, []string{}},
			{widget("a", "z"), watch.Key{Resource: widgets, Namespace: "m"}, []string{"m/b", "m/d", "m/f"}},
			{widget("z", "a"), watch.Key{Resource: widgets, Namespace: "m"}, []string{}},
			{widget("m", "d"), widget("m", "d"), []string{}},
			{widget("m", "c"), widget("m", "d"), []string{"m/d"}},
		} {
			require.Equal(s, c.want, names(s.list(storage.Query{Within: c.scope, After: c.after}).Records), "%v after %v",
				c.scope, c.after)
		}
	}},
}

// changeCount returns a number that differs after every write.
func (s *subject) changeCount() int { return int(s.store.Revision()) }
