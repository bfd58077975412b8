package storagetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// These are the indexes of the suite's resources. The label color is not indexed.
var (
	colors = watch.Index{Field: 0}
	odds   = watch.Index{Label: "odd"}
	sizes  = watch.Index{Field: 2, Numeric: true}
)

func red() watch.Term { return watch.Term{Index: colors, Value: "red"} }

// has checks a term without the store's help.
func has(r *storage.Record, t watch.Term) bool {
	if t.Label == "" {
		return r.Fields[t.Field] == t.Value
	}
	for _, l := range r.Labels {
		if l.Key == t.Label {
			return l.Value == t.Value
		}
	}
	return false
}

var indexRules = []rule{
	{"Terms", "A list by terms returns the records that have all values, with or without an index, at every revision, also in pages.", func(s *subject) {
		seed := uint64(time.Now().UnixNano())
		s.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		revisions := []watch.Revision{s.store.Revision()}
		for i := range 400 {
			key := widget([]string{"a", "aa", "b"}[random.IntN(3)], fmt.Sprint(random.IntN(12)))
			if _, err := s.store.Get(s.ctx, key, 0); err == nil && random.IntN(3) == 0 {
				revisions = append(revisions, s.remove(key).Revision)
				continue
			}
			revisions = append(revisions, s.put(key, []string{"red", "green", "", "red "}[random.IntN(4)], i).Revision)
			if i%100 == 50 { // the oldest pages are built from this state
				s.checkTerms(random, s.store.Revision())
			}
		}
		for range 60 {
			s.checkTerms(random, revisions[random.IntN(len(revisions))])
		}
		revisions = revisions[len(revisions)-21:]
		require.NoError(s, s.store.Compact(s.ctx, revisions[0]))
		for range 20 {
			s.checkTerms(random, revisions[random.IntN(len(revisions))])
		}
	}},
	{"Reindexed", "Registering a resource again with other indexes changes no list and ends no history.",
		func(s *subject) {
			seed := uint64(time.Now().UnixNano())
			s.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			revisions := []watch.Revision{s.store.Revision()}
			form := s.resources()[0]
			for i, indexed := range [][]watch.Index{form.Indexed, nil, {{Label: "color"}}, {odds, colors, {Label: "color"}}} {
				form.Indexed = indexed
				require.NoError(s, s.store.Register(s.ctx, form))
				for range 20 {
					s.checkTerms(random, revisions[random.IntN(len(revisions))])
				}
				for n := range 30 {
					revisions = append(revisions,
						s.put(widget("a", fmt.Sprint(n)), []string{"red", "green", ""}[random.IntN(3)], i*100+n).Revision)
				}
				for range 30 {
					s.checkTerms(random, revisions[len(revisions)-1-random.IntN(20)])
				}
			}
			form.Indexed = []watch.Index{odds, odds}
			require.ErrorIs(s, s.store.Register(s.ctx, form), storage.ErrResource)
			require.NoError(s, s.store.Register(s.ctx, s.resources()[0]))
		}},
	{"WatchTerms", "A watch by terms shows every change of objects that have the values before or after it.",
		func(s *subject) {
			key, other := widget("a", "x"), widget("a", "y")
			start := s.store.Revision()
			cursor, err := s.store.Watch(s.ctx, watch.Key{Resource: widgets}, start, red(),
				watch.Term{Index: odds, Value: "true"})
			require.NoError(s, err)
			defer cursor.Close()
			made := []*storage.Record{
				s.put(key, "red", 1), // matches
				s.put(other, "blue", 2),
				s.put(key, "red", 2), // no longer matches
				s.put(key, "green", 3),
				s.put(key, "red", 5), // matches again
				s.remove(key),        // no longer matches
			}
			changes, err := cursor.Poll(nil)
			require.NoError(s, err)
			var got []string
			for _, c := range changes {
				kind, _ := c.Select(func(r *storage.Record) bool {
					return has(r, red()) && has(r, watch.Term{Index: odds, Value: "true"})
				})
				if kind != "" {
					got = append(got, fmt.Sprintf("%d %s", position(made, c.Revision), kind))
				}
			}
			require.Equal(s, []string{"0 ADDED", "2 DELETED", "4 ADDED", "5 DELETED"}, got)
			require.Equal(s, s.store.Revision(), cursor.Position(),
				"the position moves past changes that the watch does not show")
		}},
}

// checkTerms compares a list by terms, in pages, with a filter of all records at that revision.
func (s *subject) checkTerms(random *rand.Rand, revision watch.Revision) {
	all := [][]watch.Term{
		{red()}, {{Index: colors, Value: "green"}}, {{Index: colors, Value: "none"}}, {{Index: colors}},
		{{Index: odds, Value: "true"}}, {{Index: odds}}, {{Index: watch.Index{Label: "color"}, Value: "red"}},
		{red(), {Index: odds, Value: "false"}},
		{{Index: watch.Index{Label: "color"}, Value: "red"}, {Index: odds, Value: "true"}},
		{red(), {Index: colors, Value: "green"}},
	}
	terms := all[random.IntN(len(all))]
	opts := storage.Query{Within: watch.Key{Resource: widgets, Namespace: []string{"", "a", "aa", "none"}[random.IntN(4)]},
		Revision: revision, Exact: true}
	if opts.Within.Namespace != "" && random.IntN(4) == 0 {
		opts.Within.Name = fmt.Sprint(random.IntN(12))
	}
	if random.IntN(3) == 0 {
		opts.Match = func(r *storage.Record) bool { return r.Owners[0] == "owner-1" }
	}
	var want []*storage.Record
	for _, r := range s.list(opts).Records {
		if !slices.ContainsFunc(terms, func(t watch.Term) bool { return !has(r, t) }) {
			want = append(want, r)
		}
	}
	opts.Terms, opts.Limit = terms, random.IntN(5)
	var got []*storage.Record
	for {
		page := s.list(opts)
		require.Equal(s, revision, page.Revision)
		require.EqualValues(s, -1, page.Remaining)
		got = append(got, page.Records...)
		if !page.More {
			break
		}
		require.Len(s, page.Records, opts.Limit)
		opts.After = got[len(got)-1].Key
	}
	require.Equal(s, names(want), names(got), "%+v", opts)
	s.requireSame(want, got)
}
