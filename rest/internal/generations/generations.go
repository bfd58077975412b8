// Package generations is a cache that takes a bounded number of bytes.
package generations

import (
	"sync"

	"github.com/decorum-go/decorum/storage"
)

// Cache is a cache whose entries take a bounded number of bytes. There are two generations. When the young one is
// full, it becomes the old one. An entry of the old one becomes young again when it is read. So the entries that are
// read most often stay. Any goroutine may use it.
type Cache[K comparable, V any] struct {
	budget *storage.Budget // counts the bytes of both generations
	each   int64           // the most bytes that one generation takes

	mu         sync.Mutex
	used       int64 // the bytes of the young generation
	young, old map[K]sized[V]
}

// sized is an entry and about how many bytes it takes.
type sized[V any] struct {
	value V
	bytes int64
}

// New returns an empty cache for entries of at most maxBytes together, which it takes from the budget. If maxBytes is
// zero or negative, the cache keeps nothing.
func New[K comparable, V any](budget *storage.Budget, maxBytes int64) *Cache[K, V] {
	c := &Cache[K, V]{budget: budget.Part(maxBytes), each: maxBytes / 2, young: map[K]sized[V]{}}
	budget.OnRefusal(c.shrink)
	return c
}

// shrink gives up one generation.
func (c *Cache[K, V]) shrink() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.old) == 0 {
		c.age()
	}
	c.dropOld()
}

// Get returns an entry, and makes it young.
func (c *Cache[K, V]) Get(k K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.young[k]
	if !ok {
		if e, ok = c.old[k]; ok {
			c.insert(k, e)
		}
	}
	return e.value, ok
}

// Add stores an entry, unless there is one already, and returns the entry that the cache has.
func (c *Cache[K, V]) Add(k K, value V, bytes int64) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.young[k]; ok {
		return e.value
	}
	c.insert(k, sized[V]{value, bytes})
	return value
}

// Put stores an entry, and replaces a former one with its key.
func (c *Cache[K, V]) Put(k K, value V, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.insert(k, sized[V]{value, bytes})
}

// Forget removes the entries whose keys match.
func (c *Cache[K, V]) Forget(match func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.old {
		if match(k) {
			c.drop(k)
		}
	}
	for k := range c.young {
		if match(k) {
			c.drop(k)
		}
	}
}

// Remove removes an entry.
func (c *Cache[K, V]) Remove(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(k)
}

// drop removes an entry from both generations. The caller holds the lock.
func (c *Cache[K, V]) drop(k K) {
	if e, ok := c.old[k]; ok {
		delete(c.old, k)
		c.budget.Release(e.bytes)
	}
	if e, ok := c.young[k]; ok {
		delete(c.young, k)
		c.used -= e.bytes
		c.budget.Release(e.bytes)
	}
}

// age makes the young generation the old one. The caller holds the lock.
func (c *Cache[K, V]) age() {
	c.dropOld()
	c.old, c.young, c.used = c.young, map[K]sized[V]{}, 0
}

// dropOld removes the old generation. The caller holds the lock.
func (c *Cache[K, V]) dropOld() {
	for _, e := range c.old {
		c.budget.Release(e.bytes)
	}
	c.old = nil
}

// insert stores an entry in the young generation, if it fits at all. If the budget refuses it, the old generation makes
// room, and then the young one. The caller holds the lock.
func (c *Cache[K, V]) insert(k K, e sized[V]) {
	c.drop(k)
	if e.bytes > c.each {
		return
	}
	if c.used+e.bytes > c.each {
		c.age()
	}
	for tries := 0; !c.budget.Take(e.bytes); tries++ {
		if tries == 2 {
			return
		}
		c.age()
	}
	c.young[k] = e
	c.used += e.bytes
}
