package storagetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var visibleRules = []rule{
	{"Visible", "Hidden records change neither the pages of a list nor whether it exceeds MaxVisits.", func(s *subject) {
		seed := uint64(time.Now().UnixNano())
		s.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		put := func(prefix string, count int) {
			for i := range count {
				s.put(widget([]string{"a", "b"}[random.IntN(2)], fmt.Sprint(random.IntN(10), prefix, i)),
					[]string{"red", "green", "blue", ""}[random.IntN(4)], random.IntN(20))
			}
		}
		put("-shown-", 12)
		var queries []storage.Query
		var before []string
		refused := 0
		for range 400 {
			query := randomVisible(random)
			outcome := s.outcome(query)
			queries, before = append(queries, query), append(before, outcome)
			if strings.Contains(outcome, "refused") {
				refused++
			}
		}
		require.NotZero(s, refused, "some queries exceed MaxVisits")
		require.Less(s, refused, len(queries), "some queries do not")
		for _, count := range []int{1, 10, 60} {
			put("-hidden-", count)
			for i, query := range queries {
				require.Equal(s, before[i], s.outcome(query), "%+v", query)
			}
		}
	}},
}

// randomVisible returns a query that hides records.
func randomVisible(random *rand.Rand) storage.Query {
	query := storage.Query{
		Within: watch.Key{Resource: widgets, Namespace: []string{"", "", "a"}[random.IntN(3)]},
		Limit:  random.IntN(6), MaxVisits: 1 + random.IntN(14),
		Visible: func(r *storage.Record) bool { return !strings.Contains(r.Key.Name, "hidden") },
	}
	if random.IntN(3) == 0 {
		query.Terms = []watch.Term{red()}
	}
	if random.IntN(3) == 0 {
		query.Among = []storage.Among{{Index: sizes, Ranges: []storage.Range{{From: "3", To: "9"}, {From: "12"}}}}
	}
	if random.IntN(3) == 0 {
		query.Match = func(r *storage.Record) bool { return sizeOf(r)%2 == 0 }
	}
	for range random.IntN(3) {
		order, _ := randomOrder(random)
		query.Order = append(query.Order, order)
	}
	return query
}

// outcome describes all pages of a list, up to an error.
func (s *subject) outcome(query storage.Query) string {
	var all strings.Builder
	for {
		page, err := s.store.List(s.ctx, query, nil)
		if status.IsBadRequest(err) {
			return all.String() + "refused"
		}
		require.NoError(s, err)
		fmt.Fprintln(&all, names(page.Records), page.More, page.Remaining)
		if !page.More {
			return all.String()
		}
		require.NotEmpty(s, page.Records)
		last := page.Records[len(page.Records)-1]
		query.After, query.AfterValues = last.Key, nil
		for i := range query.Order {
			query.AfterValues = append(query.AfterValues, query.Order[i].Of(last))
		}
		query.Revision, query.Exact = page.Revision, true
	}
}
