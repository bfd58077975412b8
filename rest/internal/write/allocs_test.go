//go:build !race && unix

package write_test

import (
	"net/http"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A GET writes the stored bytes, so its allocations do not depend on the size of the object. There are three: the
// request on its way through the handlers, its audit ID and the length of the answer. Only a large response costs a few
// more, because the API guards it against slow clients.
func TestGetNeitherDecodesNorEncodes(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	for name, size := range map[string]int{"small": 1 << 10, "medium": 64 << 10, "large": 1 << 20} {
		require.Equal(t, http.StatusCreated, s.Do("POST", apitest.Things, string(apitest.PaddedThing(name, size))).Code)
	}
	get := func(name string) (allocs float64, bytes uint64) {
		r, w := apitest.NewRequest("GET", apitest.Things+"/"+name, nil), &apitest.DiscardWriter{Headers: http.Header{}}
		once := func() {
			w.Reset()
			s.API.ServeHTTP(w, r)
			require.Equal(t, http.StatusOK, w.Code)
		}
		allocs = testing.AllocsPerRun(200, once)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 200 {
			once()
		}
		runtime.ReadMemStats(&after)
		return allocs, (after.TotalAlloc - before.TotalAlloc) / 200
	}
	allocs, bytes := get("small")
	mediumAllocs, mediumBytes := get("medium")
	moreAllocs, moreBytes := get("large")
	t.Logf("%v allocations of %d bytes for 1 KB, %v of %d for 64 KB, %v of %d for 1 MB", allocs, bytes, mediumAllocs,
		mediumBytes, moreAllocs, moreBytes)
	require.LessOrEqual(t, allocs, 3.0)
	require.Less(t, bytes, uint64(1<<10))
	require.LessOrEqual(t, mediumAllocs, allocs+5)
	require.Less(t, mediumBytes, bytes+512)
	require.Equal(t, mediumAllocs, moreAllocs)
	require.Less(t, moreBytes, mediumBytes+256)
}

// A LIST joins the stored bytes through borrowed buffers: 10,000 objects cost no more allocations than 10.
func TestListNeitherDecodesNorEncodes(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	w := apitest.NewThingWriter(s.API, "POST", apitest.Things, apitest.TypeJSON)
	for i := range 10_000 {
		require.Equal(t, http.StatusCreated, w.Send(apitest.PaddedThing(thingNumber(i), 2<<10)))
	}
	list := func(query string) (allocs float64, bytes uint64) {
		r, w := apitest.NewRequest("GET", apitest.Things+query, nil), &apitest.DiscardWriter{Headers: http.Header{}}
		once := func() {
			w.Reset()
			s.API.ServeHTTP(w, r)
		}
		once()
		require.Greater(t, w.Bytes, 10<<10)
		allocs = testing.AllocsPerRun(20, once)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 20 {
			once()
		}
		runtime.ReadMemStats(&after)
		return allocs, (after.TotalAlloc - before.TotalAlloc) / 20
	}
	for _, query := range []string{"", "?labelSelector=app%3Dload", "?fieldSelector=spec.color%3Dred", "?limit=10"} {
		allocs, bytes := list(query)
		t.Logf("%q: %v allocations of %d bytes", query, allocs, bytes)
		require.LessOrEqual(t, allocs, 60.0, query)
		require.LessOrEqual(t, bytes, uint64(64<<10), query)
	}
}

func thingNumber(i int) string {
	digits := []byte("n000000")
	for at := len(digits) - 1; i > 0; at-- {
		digits[at] = byte('0' + i%10)
		i /= 10
	}
	return string(digits)
}
