package media_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// sharing starts an API of ten widgets of 10 KB, which takes its memory from the budget.
func sharing(t *testing.T, budget *storage.Budget) *rest.API {
	t.Helper()
	api := apitest.New(t, rest.Options{Limits: rest.Limits{Budget: budget}}, apitest.WidgetResource())
	for i := range 10 {
		apitest.CreateWidget(t, api, fmt.Sprint("w", i), `"spec":{"size":1,"settings":{"a":"`+strings.Repeat("x", 10_000)+`"}}`)
	}
	return api
}

// APIs that share a budget leave room to each other, and give back everything when they end.
func TestSharedBudget(t *testing.T) {
	const whole = 1 << 20
	budget := storage.NewBudget(whole)
	apis := []*rest.API{sharing(t, budget), sharing(t, budget), sharing(t, budget)}
	for range 3 { // the second request for a list fills the cache
		for _, api := range apis {
			for _, selector := range []string{"", "?labelSelector=!a", "?labelSelector=!b", "?labelSelector=!c"} {
				apitest.Must(t, api, "GET", apitest.Widgets+selector, "")
				assert.LessOrEqual(t, budget.Used(), int64(whole))
			}
		}
	}
	assert.Greater(t, budget.Used(), int64(100_000), "the caches of lists have something")
	for _, api := range apis {
		apitest.Must(t, api, "GET", apitest.Widgets+"/w1", "", "Accept", "application/yaml")
		before := budget.Used()
		require.NoError(t, api.Close())
		assert.Less(t, budget.Used(), before)
	}
	assert.Zero(t, budget.Used())
}

// While others use up the budget, caches keep nothing, and the API serves lists but refuses copies of large objects.
func TestAnswersWithFullBudget(t *testing.T) {
	budget := storage.NewBudget(4 << 20)
	api := sharing(t, budget)
	apitest.CreateWidget(t, api, "large", `"spec":{"size":1,"settings":{"a":"`+strings.Repeat("x", 60_000)+`"}}`)
	others := budget.Part(math.MaxInt64)
	require.True(t, others.Take(4<<20-budget.Used()))
	for range 3 {
		for _, accept := range []string{"application/json", "application/yaml"} {
			apitest.Must(t, api, "GET", apitest.Widgets, "", "Accept", accept)
		}
	}
	apitest.Must(t, api, "GET", apitest.Widgets+"/large", "")
	apitest.Do(t, api, "GET", apitest.Widgets+"/large", "", "Accept", "application/yaml") // the caches give up their entries
	more := budget.Part(math.MaxInt64)
	require.True(t, more.Take(4<<20-budget.Used()))
	for _, copied := range [][]string{
		{"", "application/yaml"},
		{"?includeObject=Object", apitest.AcceptTable},
		{"", apitest.AcceptPartial},
	} {
		target := apitest.Widgets + "/large" + copied[0]
		answer := apitest.Do(t, api, "GET", target, "", "Accept", copied[1])
		assert.Equal(t, http.StatusTooManyRequests, answer.Code, copied)
		assert.Equal(t, "1", answer.Header.Get("Retry-After"))
	}
	others.Close()
	more.Close()
	apitest.Must(t, api, "GET", apitest.Widgets+"/large", "", "Accept", "application/yaml")
	apitest.Must(t, api, "GET", apitest.Widgets+"/large?includeObject=Object", "", "Accept", apitest.AcceptTable)
}

// A user who reads no answer leaves memory to others.
func TestUsersShareTheMemoryOfAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.New(t, rest.Options{Limits: rest.Limits{Budget: storage.NewBudget(64 << 20)},
			Authenticator: apitest.UserFromHeader},
			apitest.WidgetResource())
		apitest.Must(t, api, "POST", apitest.Widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"large"},`+
			`"spec":{"size":1,"settings":{"a":"`+strings.Repeat("x", 200_000)+`"}}}`, "Test-User", "root")
		unread := 0
		for apitest.SendUnread(t, api, "GET", apitest.Widgets+"/large", "Test-User", "greedy", "Accept",
			"application/yaml").Code == http.StatusOK {
			unread++
			require.Less(t, unread, 200)
		}
		assert.Greater(t, unread, 10)
		for _, user := range []string{"jane", "john"} {
			apitest.Must(t, api, "GET", apitest.Widgets+"/large", "", "Test-User", user, "Accept", "application/yaml")
		}
	})
}

// Caches give up their entries before an answer is refused.
func TestAnswersDisplaceCaches(t *testing.T) {
	budget := storage.NewBudget(1 << 20)
	api := sharing(t, budget)
	apitest.CreateWidget(t, api, "large", `"spec":{"size":1,"settings":{"a":"`+strings.Repeat("x", 60_000)+`"}}`)
	for range 3 {
		for _, selector := range []string{"?labelSelector=!a", "?labelSelector=!b", "?labelSelector=!c"} {
			apitest.Must(t, api, "GET", apitest.Widgets+selector, "")
		}
	}
	require.Greater(t, budget.Used(), int64(100_000), "the caches of lists have something")
	apitest.Must(t, api, "GET", apitest.Widgets+"/large", "", "Accept", "application/yaml")
}

// A document of many short values takes many times the size of its text.
func TestRoomForShortValues(t *testing.T) {
	budget := storage.NewBudget(3 << 20)
	api := apitest.New(t, rest.Options{Limits: rest.Limits{Budget: budget}}, apitest.WidgetResource())
	settings := make([]string, 6000)
	for i := range settings {
		settings[i] = fmt.Sprintf(`"a%d":""`, i)
	}
	apitest.CreateWidget(t, api, "large", `"spec":{"size":1,"settings":{`+strings.Join(settings, ",")+`}}`)
	answer := apitest.Do(t, api, "GET", apitest.Widgets+"/large", "", "Accept", "application/yaml")
	assert.Equal(t, http.StatusRequestEntityTooLarge, answer.Code)
}
