package resource

import (
	"sync"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// views are records as other versions than the stored one show them, made when first read and kept for the next reader.
// What was committed never changes, so a view never ages; it is dropped when others need the room. There are two
// generations: a full young one becomes the old one, and what of the old one is read again becomes young.
type views struct {
	mu         sync.Mutex
	budget     int64 // of one generation, in bytes
	used       int64 // by the young one
	young, old map[view]*storage.Record
}

// view names a record as a version shows it. A commit has a revision of its own, and so has its record.
type view struct {
	revision watch.Revision
	as       *Resource
}

func newViews(maxBytes int64) *views {
	return &views{budget: maxBytes / 2, young: map[view]*storage.Record{}}
}

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

// add keeps a view and returns it, or the one of somebody else who was faster.
func (c *views) add(k view, shown *storage.Record) *storage.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.young[k]; other != nil {
		return other
	}
	c.put(k, shown)
	return shown
}

// viewOverhead is about what a view needs beside its JSON.
const viewOverhead = 600

// put keeps a view in the young generation.
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
