//go:build unix

package limits_test

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// heldMemory is how many bytes of heap and stacks the process holds when the garbage collector has also emptied the
// pools.
func heldMemory() float64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// Limit: the JSON of the objects. After a burst of lists and writes: the memory before it, the history and the cache of
// lists.
func BenchmarkMemory(b *testing.B) {
	const objects = 10_000
	before := heldMemory()
	s := apitest.NewThingServer(b, rest.Options{})
	size := s.Fill(b, objects)
	live := heldMemory() - before
	b.Run("live", func(b *testing.B) {
		b.ReportMetric(live/float64(size), "ratio")
		b.ReportMetric(1.2, "aim")
	})
	b.Run("after a burst", func(b *testing.B) {
		for i := range objects {
			w := apitest.NewThingWriter(s.API, "PATCH", fmt.Sprintf("%s/n%06d", apitest.Things, i), typeMerge)
			require.Equal(b, http.StatusOK, w.Send([]byte(`{"spec":{"size":7}}`)))
		}
		for _, accept := range []string{apitest.TypeJSON, apitest.AcceptPartials, apitest.AcceptTable, apitest.TypeYAML} {
			for range 3 {
				require.Equal(b, http.StatusOK, s.Do("GET", apitest.Things, "", "Accept", accept).Code)
			}
		}
		const cache = 32 << 20 // the share of the lists in rest.Limits.CacheBytes
		allowed := live + float64(s.API.Stats().Store.History.Bytes) + cache
		b.ReportMetric((heldMemory()-before)/allowed, "ratio")
		b.ReportMetric(1.5, "aim")
	})
	runtime.KeepAlive(s)
}
