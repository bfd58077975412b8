package rest

import (
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/storage"
)

// views are records as other versions than the stored one show them, made when first read and kept for the next reader.
// A record never changes, so a view never ages; it is dropped when others need the room. There are two generations: a
// full young one becomes the old one, and what of the old one is read again becomes young.
type views struct {
	mu         sync.Mutex
	budget     int64 // of one generation, in bytes
	used       int64 // by the young one
	young, old map[view]*storage.Record
}

// view names a record as a version shows it.
type view struct {
	of *storage.Record
	as *resource
}

func newViews(maxBytes int64) *views {
	return &views{budget: maxBytes / 2, young: map[view]*storage.Record{}}
}

func (c *views) get(k view) *storage.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	shown := c.young[k]
	if shown == nil {
		if shown = c.old[k]; shown != nil {
			c.put(k, shown)
		}
	}
	return shown
}

func (c *views) add(k view, shown *storage.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(k, shown)
}

// viewOverhead is about what a view needs beside its JSON.
const viewOverhead = 600

// put keeps a view in the young generation. The record that it is of is held alive by it, so it counts too.
func (c *views) put(k view, shown *storage.Record) {
	if c.young[k] != nil {
		return
	}
	size := int64(len(shown.JSON) + len(k.of.JSON) + viewOverhead)
	if size > c.budget {
		return
	}
	if c.used+size > c.budget {
		c.old, c.young, c.used = c.young, map[view]*storage.Record{}, 0
	}
	c.young[k] = shown
	c.used += size
}

// show returns a stored record as the version shows it: the record itself if it is the stored version, else the record
// of the converted object, with the same key and revision.
func (res *resource) show(r *storage.Record) (*storage.Record, error) {
	if res.fromStored == nil {
		return r, nil
	}
	return res.showConverted(r)
}

func (res *resource) showConverted(r *storage.Record) (*storage.Record, error) {
	k := view{of: r, as: res}
	if shown := res.views.get(k); shown != nil {
		return shown, nil
	}
	v, _, err := codec.DecodeJSON(r.JSON)
	if err == nil {
		v, err = res.fromStored(v)
	}
	if err != nil {
		return nil, err
	}
	shown := &storage.Record{Key: r.Key, Revision: r.Revision, JSON: codec.AppendObject(nil, v)}
	if shown.Parts, err = res.extract(shown.JSON); err != nil {
		return nil, fmt.Errorf("%v as %s: %w", r.Key, res.gvk.Version, err)
	}
	res.views.add(k, shown)
	return shown, nil
}
