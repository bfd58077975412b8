// Package memo keeps values that are computed once and read with each request.
package memo

import (
	"maps"
	"sync"
	"sync/atomic"
)

// maxEntries is how many values a [Map] keeps. Each added value copies the map, and a host has a few hundred kinds of
// requests at most.
const maxEntries = 2000

// Map is a map that many goroutines may use at once. Reading takes no lock and allocates nothing. The zero Map is
// empty.
type Map[K comparable, V any] struct {
	mu  sync.Mutex // held while a value is added
	all atomic.Pointer[map[K]V]
}

// Load returns the value of a key, if the map has one.
func (m *Map[K, V]) Load(key K) (value V, ok bool) {
	if all := m.all.Load(); all != nil {
		value, ok = (*all)[key]
	}
	return value, ok
}

// Add returns the value that the map has for the key. If it has none, this is the given value from now on, unless the
// map is full.
func (m *Map[K, V]) Add(key K, value V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.all.Load()
	if all == nil {
		all = new(map[K]V)
	}
	if earlier, ok := (*all)[key]; ok {
		return earlier
	}
	if len(*all) < maxEntries {
		more := make(map[K]V, len(*all)+1)
		maps.Copy(more, *all)
		more[key] = value
		m.all.Store(&more)
	}
	return value
}
