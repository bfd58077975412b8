package resource

import (
	"sync"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// views caches records that were converted to other versions than the stored one. A committed record never changes, so an entry never
// becomes stale; it is dropped only for lack of room. There are two generations. When the young one is full, it becomes the old one. An
// entry of the old one becomes young again when it is read. Any goroutine may use views.
type views struct {
	mu         sync.Mutex
	budget     int64 // bytes for each generation
	used       int64 // bytes in the young generation
	young, old map[view]*storage.Record
}

// view identifies a record in a version. Each commit has its own revision, so the revision identifies the record.
type view struct {
	revision watch.Revision
	as       *Resource
}

func newViews(maxBytes int64) *views {
	return &views{budget: maxBytes / 2, young: map[view]*storage.Record{}}
}

// get returns an entry or nil. It makes an entry of the old generation young.
func (c *views) get(k view) *storage.Record {
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
func (c *views) add(k view, shown *storage.Record) *storage.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.young[k]; other != nil {
		return other
	}
	c.put(k, shown)
	return shown
}

// forget removes the cached entries of a withdrawn resource.
func (c *views) forget(res *Resource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, generation := range []map[view]*storage.Record{c.young, c.old} {
		for k := range generation {
			if k.as == res {
				delete(generation, k)
			}
		}
	}
}

// viewOverhead is about the memory that an entry needs besides its JSON.
const viewOverhead = 600

// put stores an entry in the young generation. The caller holds the lock.
func (c *views) put(k view, shown *storage.Record) {
	size := int64(len(shown.JSON) + viewOverhead)
	if size > c.budget {
		return
	}
	if c.used+size > c.budget {
		c.old, c.young, c.used = c.young, map[view]*storage.Record{}, 0
	}
	c.young[k] = shown
	c.used += size
}
