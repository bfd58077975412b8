package storagetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var sortedRules = []rule{
	{"Sorted", "A sorted list, in pages and with any of the indexes, equals a filter and a sort of all records at its revision.", func(s *subject) {
		seed := uint64(time.Now().UnixNano())
		s.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		revisions := []watch.Revision{s.store.Revision()}
		form := s.resources()[0]
		for _, indexed := range [][]watch.Index{form.Indexed, {sizes}, nil} {
			form.Indexed = indexed
			require.NoError(s, s.store.Register(s.ctx, form))
			for range 120 {
				key := widget([]string{"a", "aa", "b"}[random.IntN(3)], fmt.Sprint(random.IntN(30)))
				n := random.IntN(4) * []int{1, 1, -1, 1000}[random.IntN(4)]
				revisions = append(revisions,
					s.put(key, []string{"red", "green", "blue", "bluish", ""}[random.IntN(5)], n).Revision)
				if random.IntN(3) == 0 {
					s.checkSorted(random, revisions[len(revisions)-1-random.IntN(min(len(revisions), 30))])
				}
			}
		}
	}},
	{"SortedWhileOthersWrite", "The pages of a sorted list stay at their revision, which may be compacted.",
		func(s *subject) {
			for i := range 9 {
				s.put(widget("a", fmt.Sprint(i)), "red", i%3)
			}
			query := storage.Query{Within: watch.Key{Resource: widgets}, Limit: 4,
				Order: []storage.Order{{Index: sizes, Descending: true}}}
			first := s.list(query)
			require.Equal(s, []string{"a/2", "a/5", "a/8", "a/1"}, names(first.Records))
			require.True(s, first.More)
			for i := range 9 {
				s.put(widget("a", fmt.Sprint(i)), "red", 100+i)
			}
			s.remove(widget("a", "1"))
			query.Revision, query.Exact, query.After, query.AfterValues = first.Revision, true, widget("a", "1"), []string{"1"}
			second := s.list(query)
			require.Equal(s, []string{"a/4", "a/7", "a/0", "a/3"}, names(second.Records))
			require.NoError(s, s.store.Compact(s.ctx, s.store.Revision()))
			query.After, query.AfterValues = widget("a", "3"), []string{"0"}
			_, err := s.store.List(s.ctx, query, nil)
			require.True(s, status.IsExpired(err), "%v", err)
		}},
	{"MaxVisits", "A list that would look at more records than it may fails.", func(s *subject) {
		for i := range 20 {
			s.put(widget("a", fmt.Sprint(i)), []string{"red", "green"}[i%2], i)
		}
		everything := storage.Query{Within: watch.Key{Resource: widgets}, MaxVisits: 12}
		for name, c := range map[string]struct {
			change func(*storage.Query)
			fails  bool
		}{
			"all records":           {func(*storage.Query) {}, true},
			"a page":                {func(q *storage.Query) { q.Limit = 3 }, false},
			"one value of an index": {func(q *storage.Query) { q.Terms = []watch.Term{red()} }, false},
			"a range of an index": {func(q *storage.Query) {
				q.Among = []storage.Among{{Index: sizes, Ranges: []storage.Range{{From: "15"}}}}
			}, false},
			"a page along an index": {func(q *storage.Query) { q.Limit, q.Order = 3, []storage.Order{{Index: sizes}} }, false},
			"a page without an index": {func(q *storage.Query) {
				q.Limit, q.Order = 3, []storage.Order{{Index: watch.Index{Field: 1}}}
			}, true},
		} {
			query := everything
			c.change(&query)
			_, err := s.store.List(s.ctx, query, nil)
			require.Equal(s, c.fails, status.IsBadRequest(err), "%s: %v", name, err)
			require.Equal(s, c.fails, err != nil, "%s: %v", name, err)
		}
	}},
}

// checkSorted compares a sorted list with a sort of all records at that revision.
func (s *subject) checkSorted(random *rand.Rand, revision watch.Revision) {
	query := storage.Query{Within: watch.Key{Resource: widgets, Namespace: []string{"", "", "a", "none"}[random.IntN(4)]},
		Revision: revision, Exact: true}
	want := s.list(query).Records
	keep := func(matches func(*storage.Record) bool) {
		want = slices.DeleteFunc(want, func(r *storage.Record) bool { return !matches(r) })
	}
	if random.IntN(3) == 0 {
		query.Terms = []watch.Term{red()}
		keep(func(r *storage.Record) bool { return has(r, red()) })
	}
	if random.IntN(3) == 0 {
		query.Among = append(query.Among,
			storage.Among{Index: colors,
				Ranges: []storage.Range{{From: "blue", To: "blv", BeforeTo: true}, {From: "red", To: "red"}}})
		keep(func(r *storage.Record) bool { return strings.HasPrefix(r.Fields[0], "blu") || r.Fields[0] == "red" })
	}
	if random.IntN(3) == 0 {
		query.Among = append(query.Among,
			storage.Among{Index: sizes, Ranges: []storage.Range{{From: "0", AfterFrom: true, To: "2"}, {From: "20"}}})
		keep(func(r *storage.Record) bool { return sizeOf(r) == 1 || sizeOf(r) == 2 || sizeOf(r) >= 20 })
	}
	if random.IntN(4) == 0 {
		query.Match = func(r *storage.Record) bool { return r.Owners[0] == "owner-1" }
		keep(query.Match)
	}
	var compares []func(a, b *storage.Record) int
	for range random.IntN(3) {
		order, compare := randomOrder(random)
		query.Order, compares = append(query.Order, order), append(compares, compare)
	}
	if len(query.Order)+len(query.Among) == 0 {
		return
	}
	slices.SortStableFunc(want, func(a, b *storage.Record) int {
		for _, compare := range compares {
			if order := compare(a, b); order != 0 {
				return order
			}
		}
		return 0
	})
	query.Limit = random.IntN(6)
	var got []*storage.Record
	for {
		page := s.list(query)
		require.Equal(s, revision, page.Revision)
		got = append(got, page.Records...)
		require.Equal(s, page.More, len(got) < len(want), "%+v", query)
		if !page.More {
			break
		}
		last := got[len(got)-1]
		query.After, query.AfterValues = last.Key, nil
		for _, o := range query.Order {
			value := last.Fields[o.Index.Field]
			if o.Index.Label != "" {
				value, _ = last.Labels.Lookup(o.Index.Label)
			}
			query.AfterValues = append(query.AfterValues, value)
		}
	}
	require.Equal(s, names(want), names(got), "%+v", query)
}

// randomOrder returns an order, and a comparison that does the same.
func randomOrder(random *rand.Rand) (storage.Order, func(a, b *storage.Record) int) {
	sign := 1
	order := storage.Order{Index: []watch.Index{sizes, colors, odds, {Field: 1}}[random.IntN(4)],
		Descending: random.IntN(2) == 0}
	if order.Descending {
		sign = -1
	}
	switch order.Index {
	case sizes:
		return order, func(a, b *storage.Record) int { return sign * cmp.Compare(sizeOf(a), sizeOf(b)) }
	case colors:
		return order, func(a, b *storage.Record) int {
			if a.Fields[0] == "" || b.Fields[0] == "" {
				return -cmp.Compare(min(1, len(a.Fields[0])), min(1, len(b.Fields[0])))
			}
			return sign * strings.Compare(a.Fields[0], b.Fields[0])
		}
	case odds:
		return order, func(a, b *storage.Record) int {
			x, _ := a.Labels.Lookup("odd")
			y, _ := b.Labels.Lookup("odd")
			return sign * strings.Compare(x, y)
		}
	}
	return order, func(a, b *storage.Record) int { return sign * strings.Compare(a.Key.Name, b.Key.Name) }
}

// sizeOf returns the number in a record.
func sizeOf(r *storage.Record) int {
	n, _ := strconv.Atoi(r.Fields[2])
	return n
}
