package apitest

import (
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// LibraryGoroutines counts the goroutines that run, or were started by, code of this library outside of its tests.
func LibraryGoroutines(t testing.TB) int {
	t.Helper()
	var dump strings.Builder
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&dump, 2))
	count := 0
	for _, stack := range strings.Split(dump.String(), "\n\n") {
		for _, p := range []string{"rest.", "storage.", "watch."} {
			if strings.Contains(stack, "github.com/decorum-go/decorum/"+p) {
				count++
				break
			}
		}
	}
	return count
}

// HeapInUse is how much memory is in use.
func HeapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one ages the pools, the second one empties them
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
