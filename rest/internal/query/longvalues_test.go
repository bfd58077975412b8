package query_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// longColor returns one of a few colors. Most are long, and have the same beginning.
func longColor(random *rand.Rand) string {
	return []string{"", "red", strings.Repeat("é", 600), strings.Repeat("x", 5000), strings.Repeat("x", 5000) + "a",
		strings.Repeat("x", 5000) + "b", strings.Repeat("x", 40_000), strings.Repeat("x", 1025), strings.Repeat("x", 1024)}[random.IntN(9)]
}

// The pages of a list that is sorted by long values are the list at the revision of the first page, whatever others
// write meanwhile, and their tokens are small.
func TestPagesOfLongValues(t *testing.T) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 1))
		api := newCrates(t, rest.Options{})
		change := func() {
			name, size := fmt.Sprintf("c%02d", random.IntN(25)), random.Int64N(3)
			switch random.IntN(4) {
			case 0:
				apitest.Do(t, api, "DELETE", crates+"/"+name, "")
			case 1:
				apitest.MergePatch(t, api, crates+"/"+name, fmt.Sprintf(`{"spec":{"color":%q}}`, longColor(random)))
			default:
				apitest.Do(t, api, "POST", crates, crate(name, longColor(random), size, ""))
			}
		}
		for range 40 {
			change()
		}
		for _, order := range []string{"spec.color", "-spec.color", "spec.size,spec.color", "-spec.color,-spec.size"} {
			want := found(t, apitest.Do(t, api, "GET", with(allCrates, "sortBy", order), ""))
			limit := fmt.Sprint(1 + random.IntN(4))
			var got []string
			for token, pages := "", 0; pages == 0 || token != ""; pages++ {
				page := apitest.Do(t, api, "GET", with(allCrates, "sortBy", order, "limit", limit, "continue", token), "")
				got = append(got, found(t, page)...)
				token = ""
				if strings.Contains(page.Raw, `"continue"`) {
					token = page.Text(t, "metadata.continue")
				}
				require.Less(t, len(token), 3<<10)
				for range random.IntN(4) {
					change()
				}
			}
			require.Equal(t, want, got, "seed %d, sorted by %s, %s at a time", seed, order, limit)
		}
	}
}

// A token without its values ends with the revision of its list, and names only objects of the list.
func TestTokensOfLongValues(t *testing.T) {
	store := apitest.NewStore(t)
	api := newCrates(t, rest.Options{Store: store})
	for i := range 4 {
		apitest.Must(t, api, "POST", crates, crate(fmt.Sprint("c", i), strings.Repeat("x", 2000+i), int64(i), ""))
	}
	query := []string{"sortBy", "spec.color", "fieldQuery", "spec.size>=1", "limit", "1"}
	first := apitest.Do(t, api, "GET", with(allCrates, query...), "")
	require.Equal(t, []string{"a/c1"}, found(t, first))
	token := first.Text(t, "metadata.continue")
	next := func(token string) apitest.Answer {
		t.Helper()
		return apitest.Do(t, api, "GET", with(allCrates, append(query, "continue", token)...), "")
	}
	assert.Equal(t, []string{"a/c2"}, found(t, next(token)))
	forged := func(change func(fields map[string]any)) string {
		data, err := base64.RawURLEncoding.DecodeString(token)
		require.NoError(t, err)
		fields := map[string]any{}
		require.NoError(t, json.Unmarshal(data, &fields))
		change(fields)
		data, err = json.Marshal(fields)
		require.NoError(t, err)
		return base64.RawURLEncoding.EncodeToString(data)
	}
	for name, change := range map[string]func(map[string]any){
		"an object outside of the list": func(f map[string]any) { f["start"] = "a/c0\x00" },
		"a missing object":              func(f map[string]any) { f["start"] = "a/c9\x00" },
		"the present state":             func(f map[string]any) { f["rv"] = -1 },
		"values too":                    func(f map[string]any) { f["values"] = []string{"x"} },
	} {
		assert.Equal(t, http.StatusBadRequest, next(forged(change)).Code, name)
	}

	apitest.Must(t, api, "DELETE", crates+"/c1", "")
	assert.Equal(t, []string{"a/c2"}, found(t, next(token)), "the revision of the first page still has the object")
	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	expired := next(token)
	require.Equal(t, http.StatusGone, expired.Code, expired.Raw)
	assert.Empty(t, apitest.StatusOf(t, expired).Continue)
	assert.Contains(t, expired.Text(t, "message"), "too long to continue")
}
