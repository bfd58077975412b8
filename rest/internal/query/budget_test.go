package query_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/storage"
)

// Clients that count large values and do not read the answers hold no more than the budget. The API serves others.
func TestUnreadCountsAreLimitedTogether(t *testing.T) {
	const whole = 4 << 20
	budget := storage.NewBudget(whole)
	api := newCrates(t, rest.Options{Limits: rest.Limits{Budget: budget, CacheBytes: -1}})
	for i := range 30 { // 120 KB of values, and up to 6 times as much of JSON
		color := fmt.Sprint(i, strings.Repeat("x", 4000))
		apitest.Must(t, api, "POST", crates, crate(fmt.Sprint("crate-", i), color, 1, ""))
	}
	assert.Zero(t, budget.Used())
	var unread []*apitest.Unread
	codes := map[int]int{}
	for range 20 {
		u := apitest.SendUnread(t, api, "GET", allCrates+"?facets=spec.color")
		assert.LessOrEqual(t, budget.Used(), int64(whole))
		if codes[u.Code]++; u.Code == http.StatusTooManyRequests {
			assert.Equal(t, "1", u.Header.Get("Retry-After"))
		}
		unread = append(unread, u)
	}
	assert.GreaterOrEqual(t, codes[http.StatusOK], 2)
	assert.LessOrEqual(t, int64(codes[http.StatusOK])*120_000, int64(whole), "what all answers hold")
	assert.Equal(t, 20, codes[http.StatusOK]+codes[http.StatusTooManyRequests])
	apitest.Must(t, api, "GET", crates+"/crate-1", "")
	apitest.Must(t, api, "GET", crates, "")
	for _, u := range unread {
		u.Read()
	}
	assert.Zero(t, budget.Used())
	apitest.Must(t, api, "GET", allCrates+"?facets=spec.color", "")
}

// A value of more than 4 KiB counts among the others.
func TestCountsNameNoLongValue(t *testing.T) {
	api := newCrates(t, rest.Options{})
	long, longest := strings.Repeat("x", 4<<10), strings.Repeat("y", 4<<10+1)
	for i, color := range []string{long, longest, longest, "red", ""} {
		apitest.Must(t, api, "POST", crates, crate(fmt.Sprint("crate-", i), color, 1, ""))
	}
	var counts queries.Counts
	apitest.Must(t, api, "GET", crates+"?facets=spec.color", "").Decode(t, &counts)
	assert.EqualValues(t, 5, counts.Total)
	assert.ElementsMatch(t, []queries.ValueCount{{Value: long, Count: 1}, {Value: "red", Count: 1}},
		counts.Facets[0].Values)
	assert.EqualValues(t, 2, counts.Facets[0].Others)
	assert.EqualValues(t, 1, counts.Facets[0].Absent)
}
