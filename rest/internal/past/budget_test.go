package past_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// largeHistory returns an API with a budget, and a widget of about 100 KB with ten former versions.
func largeHistory(t *testing.T, budget *storage.Budget) *rest.API {
	t.Helper()
	api := apitest.New(t, rest.Options{Limits: rest.Limits{Budget: budget, CacheBytes: -1}}, keeping(rest.History{}))
	var settings []string
	for i := range 2000 {
		settings = append(settings, fmt.Sprintf(`"setting-%d":"value of %d"`, i, i))
	}
	apitest.CreateWidget(t, api, "first", `"spec":{"size":3,"settings":{`+strings.Join(settings, ",")+`}}`)
	for n := range 10 {
		size(t, api, n+10)
	}
	require.Zero(t, budget.Used())
	return api
}

// Reading a history takes the memory of two versions, for any number of versions, and releases all of it.
func TestHistoryIsReadWithinABudget(t *testing.T) {
	budget := storage.NewBudget(4 << 20) // each version takes 0.5 MB
	api := largeHistory(t, budget)
	list := versions(t, api)
	require.Len(t, list.Items, 11)
	for _, v := range list.Items[:10] {
		assert.Equal(t, []string{".spec.size"}, v.Changed)
	}
	from := list.Items[10].ResourceVersion
	for _, path := range []string{"", "?revision=" + from, "?from=" + from, "?from=" + from + "&to=" + list.Items[5].ResourceVersion} {
		apitest.Must(t, api, "GET", first+"/history"+path, "")
		assert.Zero(t, budget.Used(), path)
	}
	apitest.Must(t, api, "GET", first+"/history", "", "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
	apitest.Must(t, api, "POST", first+"/undo", undoOf(from, ""))
	assert.Zero(t, budget.Used())
}

// While others use up the budget, the API refuses to read a history, and serves everything else.
func TestHistoryWithFullBudget(t *testing.T) {
	budget := storage.NewBudget(4 << 20)
	api := largeHistory(t, budget)
	from := versions(t, api).Items[10].ResourceVersion
	others := budget.Part(math.MaxInt64)
	require.True(t, others.Take(4<<20-100_000))
	for _, path := range []string{"", "?revision=" + from, "?from=" + from} {
		answer := apitest.Do(t, api, "GET", first+"/history"+path, "")
		assert.Equal(t, http.StatusTooManyRequests, answer.Code, path)
		assert.Equal(t, "1", answer.Header.Get("Retry-After"))
		apitest.Must(t, api, "GET", first, "")
	}
	assert.Equal(t, http.StatusTooManyRequests, apitest.Do(t, api, "POST", first+"/undo", undoOf(from, "")).Code)
	size(t, api, 99)
	assert.EqualValues(t, others.Used(), budget.Used(), "nothing stays taken")
	others.Close()
	versions(t, api)
}

// Clients that do not read the differences that they asked for hold no more than the budget together.
func TestUnreadDifferencesAreLimitedTogether(t *testing.T) {
	const whole = 8 << 20
	budget := storage.NewBudget(whole)
	api := largeHistory(t, budget)
	apitest.Must(t, api, "PATCH", first, `{"spec":{"settings":null}}`, "Content-Type", "application/merge-patch+json")
	from := versions(t, api).Items[1].ResourceVersion
	codes := map[int]int{}
	for range 60 {
		u := apitest.SendUnread(t, api, "GET", first+"/history?from="+from)
		codes[u.Code]++
		assert.LessOrEqual(t, budget.Used(), int64(whole))
	}
	assert.Positive(t, codes[http.StatusOK])
	assert.Positive(t, codes[http.StatusTooManyRequests])
	assert.Equal(t, 60, codes[http.StatusOK]+codes[http.StatusTooManyRequests])
	apitest.Must(t, api, "GET", first, "")
}

// The paths of many fields far below the root would take much more memory than the object.
func TestDifferenceLooksNoDeeperThanALongPath(t *testing.T) {
	api := newKeeping(t)
	long := strings.Repeat("k", 300)
	apitest.CreateWidget(t, api, "first", `"metadata":{"name":"first","annotations":{"a":"b"}},"spec":{"size":3,"settings":{"`+long+`":"a"}}`)
	from := apitest.Do(t, api, "GET", first, "").ResourceVersion(t)
	apitest.Must(t, api, "PATCH", first, `{"spec":{"settings":{"`+long+`":"b"}}}`, "Content-Type", "application/merge-patch+json")
	var d history.Difference
	apitest.Must(t, api, "GET", first+"/history?from="+from, "").Decode(t, &d)
	require.Len(t, d.Changes, 1)
	assert.Equal(t, ".spec.settings."+long, d.Changes[0].Path)
}
