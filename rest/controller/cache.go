package controller

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/tidwall/btree"
)

// cache holds the entries of an informer, sorted by key, and the indexes on them. Any number of goroutines may read it,
// but only one at a time may call replace, set and remove.
type cache[E any] struct {
	key   func(E) Key
	probe func(Key) E // returns an entry with this key, for searches
	seed  maphash.Seed
	// names holds the names of the indexes. place calls put for each value of an entry, with the position of the index in
	// names.
	names []string
	place func(entry E, put func(number int, value string))

	mu       sync.RWMutex
	state    state[E]
	was, are []placed[E] // buffers of set and remove
}

// state is the content of a cache.
type state[E any] struct {
	entries *btree.BTreeG[E]
	values  []*btree.BTreeG[indexed[E]] // one tree for each index
}

// indexed is an entry under one of its values in an index. The index holds a hash of the value, so that it keeps no
// texts.
type indexed[E any] struct {
	hash  uint64
	entry E
}

// placed is an entry under one of its values in the index with that number.
type placed[E any] struct {
	number int
	indexed[E]
}

func (c *cache[E]) empty() state[E] {
	unlocked := btree.Options{NoLocks: true} // the cache's lock guards them
	s := state[E]{
		entries: btree.NewBTreeGOptions(func(a, b E) bool { return c.key(a).compare(c.key(b)) < 0 }, unlocked),
	}
	for range c.names {
		s.values = append(s.values, btree.NewBTreeGOptions(func(a, b indexed[E]) bool {
			return a.hash < b.hash || a.hash == b.hash && c.key(a.entry).compare(c.key(b.entry)) < 0
		}, unlocked))
	}
	return s
}

func (c *cache[E]) get(key Key) (E, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.state.entries.Get(c.probe(key))
}

func (c *cache[E]) list() []E {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.state.entries.Items()
}

// byIndex returns the entries that have a value in an index, sorted by key. The result may also contain entries whose
// value has the same hash. byIndex returns false if the cache has no index of that name.
func (c *cache[E]) byIndex(name, value string) (out []E, ok bool) {
	number := slices.Index(c.names, name)
	if number < 0 {
		return nil, false
	}
	first := indexed[E]{maphash.String(c.seed, value), c.probe(Key{})}
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.state.values[number].Ascend(first, func(i indexed[E]) bool {
		if i.hash != first.hash {
			return false
		}
		out = append(out, i.entry)
		return true
	})
	return out, true
}

// appendPlaces appends the places of an entry in the indexes.
func (c *cache[E]) appendPlaces(into []placed[E], entry E) []placed[E] {
	if len(c.names) > 0 {
		c.place(entry, func(number int, value string) {
			into = append(into, placed[E]{number, indexed[E]{maphash.String(c.seed, value), entry}})
		})
	}
	return into
}

// anyOrder returns the numbers below n in random order, or nil if the cache has no indexes.
func (c *cache[E]) anyOrder(n int) []int {
	if len(c.names) == 0 {
		return nil
	}
	return rand.Perm(n)
}

// replace replaces all entries of the cache at once, and returns the old ones, sorted by key.
func (c *cache[E]) replace(entries []E) (before []E) {
	next := c.empty()
	for _, e := range entries {
		next.entries.Set(e)
	}
	// Filling a tree in its own order would leave its nodes half empty.
	for _, n := range c.anyOrder(len(entries)) {
		c.are = c.appendPlaces(c.are[:0], entries[n])
		for _, p := range c.are {
			next.values[p.number].Set(p.indexed)
		}
		clear(c.are)
	}
	c.mu.Lock()
	last := c.state
	c.state = next
	c.mu.Unlock()
	return last.entries.Items()
}

// set stores an entry, and returns the entry that it replaces, if any.
func (c *cache[E]) set(e E) (old E, had bool) {
	old, had = c.get(c.key(e))
	// Index functions are the host's code, so they run before set takes the lock.
	c.are = c.appendPlaces(c.are[:0], e)
	c.change(old, had, func() { c.state.entries.Set(e) })
	return old, had
}

// remove removes the entry of a key, and returns it if it existed.
func (c *cache[E]) remove(key Key) (old E, had bool) {
	if old, had = c.get(key); had {
		c.are = c.are[:0]
		c.change(old, had, func() { c.state.entries.Delete(old) })
	}
	return old, had
}

// change calls a function that updates the entries, and moves the old entry's places in the indexes to c.are.
func (c *cache[E]) change(old E, had bool, entries func()) {
	if c.was = c.was[:0]; had {
		c.was = c.appendPlaces(c.was, old)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	entries()
	for _, p := range c.was {
		if !slices.ContainsFunc(c.are, func(o placed[E]) bool { return o.number == p.number && o.hash == p.hash }) {
			c.state.values[p.number].Delete(p.indexed)
		}
	}
	for _, p := range c.are {
		c.state.values[p.number].Set(p.indexed)
	}
	clear(c.was) // otherwise a deleted object would stay alive here
	clear(c.are)
}
