package controller

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/btree"
)

// IndexFunc returns the values under which ByIndex finds an object. The result must depend on the object only, and
// the function must not change the object.
type IndexFunc[T any] func(obj *T) []string

// cache holds the objects of an informer, sorted by key, and the indexes on them. Any number of goroutines may read
// it, but only one at a time may call replace and set.
type cache[T any] struct {
	indexes []index[T]

	mu       sync.RWMutex
	state    state[T]
	was, are []indexed[T] // buffers of set, so that it allocates nothing
}

type index[T any] struct {
	name string
	of   IndexFunc[T]
}

// state is the content of a cache.
type state[T any] struct {
	objects *btree.BTreeG[entry[T]]
	values  *btree.BTreeG[indexed[T]]
}

type entry[T any] struct {
	key    Key
	object *T
}

// indexed is an entry under one of its values in the index with that number.
type indexed[T any] struct {
	index int
	value string
	entry[T]
}

func newCache[T any](indexes map[string]IndexFunc[T]) *cache[T] {
	c := &cache[T]{state: emptyState[T]()}
	for name, of := range indexes {
		c.indexes = append(c.indexes, index[T]{name, of})
	}
	return c
}

func emptyState[T any]() state[T] {
	unlocked := btree.Options{NoLocks: true} // the cache's lock guards them
	return state[T]{
		objects: btree.NewBTreeGOptions(func(a, b entry[T]) bool { return a.key.compare(b.key) < 0 }, unlocked),
		values: btree.NewBTreeGOptions(func(a, b indexed[T]) bool {
			c := cmp.Compare(a.index, b.index)
			if c == 0 {
				c = strings.Compare(a.value, b.value)
			}
			if c == 0 {
				c = a.key.compare(b.key)
			}
			return c < 0
		}, unlocked),
	}
}

func (c *cache[T]) get(key Key) (*T, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.state.objects.Get(entry[T]{key: key})
	return e.object, ok
}

func (c *cache[T]) list() []*T {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make([]*T, 0, c.state.objects.Len())
	c.state.objects.Scan(func(e entry[T]) bool {
		out = append(out, e.object)
		return true
	})
	return out
}

// byIndex returns false if the cache has no index of that name.
func (c *cache[T]) byIndex(name, value string) (out []*T, ok bool) {
	number := slices.IndexFunc(c.indexes, func(i index[T]) bool { return i.name == name })
	if number < 0 {
		return nil, false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.state.values.Ascend(indexed[T]{index: number, value: value}, func(e indexed[T]) bool {
		if e.index != number || e.value != value {
			return false
		}
		out = append(out, e.object)
		return true
	})
	return out, true
}

// appendValues appends the places of an entry in the indexes.
func (c *cache[T]) appendValues(into []indexed[T], e entry[T]) []indexed[T] {
	for number, index := range c.indexes {
		for _, value := range index.of(e.object) {
			into = append(into, indexed[T]{number, value, e})
		}
	}
	return into
}

// replace replaces all objects of the cache at once, and returns the old and the new objects, each sorted by key.
func (c *cache[T]) replace(entries []entry[T]) (before, after []entry[T]) {
	next := emptyState[T]()
	for _, e := range entries {
		next.objects.Set(e)
		c.are = c.appendValues(c.are[:0], e)
		for _, i := range c.are {
			next.values.Set(i)
		}
		clear(c.are)
	}
	c.mu.Lock()
	last := c.state
	c.state = next
	c.mu.Unlock()
	return last.objects.Items(), entries
}

// set stores an object, or removes the object of the key if the entry's is nil. It returns the previous object, or
// nil.
func (c *cache[T]) set(e entry[T]) *T {
	old, had := c.get(e.key)
	// Index functions are the host's code, so they run before set takes the lock.
	c.was, c.are = c.was[:0], c.are[:0]
	if had {
		c.was = c.appendValues(c.was, entry[T]{e.key, old})
	}
	if e.object != nil {
		c.are = c.appendValues(c.are, e)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.object != nil {
		c.state.objects.Set(e)
	} else {
		c.state.objects.Delete(e)
	}
	for _, i := range c.was {
		if !slices.ContainsFunc(c.are, func(j indexed[T]) bool { return j.index == i.index && j.value == i.value }) {
			c.state.values.Delete(i)
		}
	}
	for _, i := range c.are {
		c.state.values.Set(i)
	}
	clear(c.was) // otherwise a deleted object would stay alive here
	clear(c.are)
	return old
}
