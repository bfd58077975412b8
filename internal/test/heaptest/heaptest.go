// Package heaptest measures memory in tests and benchmarks.
package heaptest

import "runtime"

// InUse returns the number of reachable bytes of the heap. It empties the pools of package sync first.
func InUse() int64 {
	runtime.GC()
	runtime.GC() // the first collection ages the pools, and the second one empties them
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
