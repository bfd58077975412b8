package controller

import (
	"cmp"
	"sync"

	"github.com/tidwall/btree"
)

// IndexFunc returns the values under which an object shall be found. It must depend on the object only, and must not
// change it.
type IndexFunc[T any] func(obj *T) []string

// cache is the objects of an informer in the order of their keys, and the indexes on them.
type cache[T any] struct {
	indexes map[string]IndexFunc[T]

	mu    sync.RWMutex
	state state[T]
}

// state is what a cache holds at one time.
type state[T any] struct {
	objects *btree.BTreeG[entry[T]]
	indexed map[string]*btree.BTreeG[indexEntry[T]] // by name of the index
}

type entry[T any] struct {
	key    Key
	object *T
}

type indexEntry[T any] struct {
	value string
	entry[T]
}

func newCache[T any](indexes map[string]IndexFunc[T]) *cache[T] {
	c := &cache[T]{indexes: indexes}
	c.state = c.empty()
	return c
}

func (c *cache[T]) empty() state[T] {
	// The trees are guarded by the cache's lock.
	unlocked := btree.Options{NoLocks: true}
	s := state[T]{
		objects: btree.NewBTreeGOptions(func(a, b entry[T]) bool { return a.key.compare(b.key) < 0 }, unlocked),
		indexed: make(map[string]*btree.BTreeG[indexEntry[T]], len(c.indexes)),
	}
	for name := range c.indexes {
		s.indexed[name] = btree.NewBTreeGOptions(func(a, b indexEntry[T]) bool {
			return cmp.Or(cmp.Compare(a.value, b.value), a.key.compare(b.key)) < 0
		}, unlocked)
	}
	return s
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

// byIndex reports false where there is no index of that name.
func (c *cache[T]) byIndex(name, value string) (out []*T, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	tree, ok := c.state.indexed[name]
	if !ok {
		return nil, false
	}
	tree.Ascend(indexEntry[T]{value: value}, func(e indexEntry[T]) bool {
		if e.value != value {
			return false
		}
		out = append(out, e.object)
		return true
	})
	return out, true
}

// replace makes the cache hold these objects and no others, all at once, and returns both states in order.
func (c *cache[T]) replace(objects []entry[T]) (before, after []entry[T]) {
	fresh := c.empty()
	for _, e := range objects {
		fresh.objects.Set(e)
		c.enter(fresh, e)
	}
	c.mu.Lock()
	old := c.state
	c.state = fresh
	c.mu.Unlock()
	return old.objects.Items(), fresh.objects.Items()
}

// set returns the object that was there before, or nil. A new object that is nil removes it.
func (c *cache[T]) set(e entry[T]) *T {
	old, _ := c.get(e.key)
	// Index functions are the host's, so they run outside the lock.
	was, is := c.values(entry[T]{e.key, old}), c.values(e)
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.object == nil {
		c.state.objects.Delete(e)
	} else {
		c.state.objects.Set(e)
	}
	for name, entries := range was {
		for _, ie := range entries {
			c.state.indexed[name].Delete(ie)
		}
	}
	for name, entries := range is {
		for _, ie := range entries {
			c.state.indexed[name].Set(ie)
		}
	}
	return old
}
