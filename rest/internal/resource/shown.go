package resource

import (
	"sync"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// shownCache caches records that were converted to other versions than the stored one. A committed record never
// changes, so an entry never becomes stale; it is dropped only for lack of room. There are two generations. When the
// young one is full, it becomes the old one. An entry of the old one becomes young again when it is read. Any goroutine
// may use a shownCache.
type shownCache struct {
	mu         sync.Mutex
	budget     int64 // bytes for each generation
	used       int64 // bytes in the young generation
	young, old map[shownKey]*storage.Record
}

// shownKey identifies a record in a version. Each commit has its own revision, so the revision identifies the record.
type shownKey struct {
	revision watch.Revision
	as       *Resource
}

func newShownCache(maxBytes int64) *shownCache {
	return &shownCache{budget: maxBytes / 2, young: map[shownKey]*storage.Record{}}
}

// get returns an entry or nil. It makes an entry of the old generation young.
func (c *shownCache) get(k shownKey) *storage.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	if shown := c.young[k]; shown != nil {
		return shown
	}
	shown := c.old[k]
	if shown != nil {
		c.put(k, shown)
	}
	return shown
}

// add stores an entry and returns it. If another goroutine was faster, add returns that entry instead.
func (c *shownCache) add(k shownKey, shown *storage.Record) *storage.Record {
	if k.revision == 0 { // an object that is not committed yet changes without a new revision
		return shown
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.young[k]; other != nil {
		return other
	}
	c.put(k, shown)
	return shown
}

// forget removes the cached entries of a withdrawn resource.
func (c *shownCache) forget(res *Resource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, generation := range []map[shownKey]*storage.Record{c.young, c.old} {
		for k := range generation {
			if k.as == res {
				delete(generation, k)
			}
		}
	}
}

// Forget frees the converted objects that are kept for a resource.
func (res *Resource) Forget() {
	for _, version := range res.EveryVersion() {
		res.shownCache.forget(version)
	}
}

// shownOverhead is about the memory that an entry needs besides its JSON.
const shownOverhead = 600

// put stores an entry in the young generation. The caller holds the lock.
func (c *shownCache) put(k shownKey, shown *storage.Record) {
	size := int64(len(shown.JSON) + shownOverhead)
	if size > c.budget {
		return
	}
	if c.used+size > c.budget {
		c.old, c.young, c.used = c.young, map[shownKey]*storage.Record{}, 0
	}
	c.young[k] = shown
	c.used += size
}
