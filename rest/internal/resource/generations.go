package resource

import "sync"

// generations is a cache whose entries take a bounded number of bytes. There are two generations. When the young one is
// full, it becomes the old one. An entry of the old one becomes young again when it is read. So the entries that are
// read most often stay. Any goroutine may use it.
type generations[K comparable, V any] struct {
	mu         sync.Mutex
	budget     int64 // bytes for each generation
	used       int64 // bytes in the young generation
	young, old map[K]sized[V]
}

// sized is an entry and about how many bytes it takes.
type sized[V any] struct {
	value V
	bytes int64
}

// newGenerations returns an empty cache for entries of at most maxBytes together.
func newGenerations[K comparable, V any](maxBytes int64) *generations[K, V] {
	return &generations[K, V]{budget: maxBytes / 2, young: map[K]sized[V]{}}
}

// get returns an entry, and makes it young.
func (c *generations[K, V]) get(k K) (value V, ok bool) {
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

// add stores an entry, unless there is one already, and returns the entry that the cache has.
func (c *generations[K, V]) add(k K, value V, bytes int64) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.young[k]; ok {
		return e.value
	}
	c.insert(k, sized[V]{value, bytes})
	return value
}

// put stores an entry in the place of a former one.
func (c *generations[K, V]) put(k K, value V, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.insert(k, sized[V]{value, bytes})
}

// forget removes the entries whose keys match.
func (c *generations[K, V]) forget(match func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.old {
		if match(k) {
			delete(c.old, k)
		}
	}
	for k, e := range c.young {
		if match(k) {
			c.used -= e.bytes
			delete(c.young, k)
		}
	}
}

// remove removes an entry.
func (c *generations[K, V]) remove(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.old, k)
	c.used -= c.young[k].bytes
	delete(c.young, k)
}

// insert stores an entry in the young generation, if it fits at all. The caller holds the lock.
func (c *generations[K, V]) insert(k K, e sized[V]) {
	delete(c.old, k)
	c.used -= c.young[k].bytes
	if e.bytes > c.budget {
		delete(c.young, k)
		return
	}
	if c.used+e.bytes > c.budget {
		delete(c.young, k)
		c.old, c.young, c.used = c.young, map[K]sized[V]{}, 0
	}
	c.young[k] = e
	c.used += e.bytes
}
