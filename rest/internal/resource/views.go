package resource

import (
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
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

// Show returns a stored record as the version shows it: the record itself if it is the stored version, else the record
// of the converted object, with the same key and revision.
func (res *Resource) Show(r *storage.Record) (*storage.Record, error) {
	if res.fromStored == nil {
		return r, nil
	}
	return res.showConverted(r)
}

func (res *Resource) showConverted(r *storage.Record) (*storage.Record, error) {
	k := view{revision: r.Revision, as: res}
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
	return res.showAs(r, v)
}

// showAs keeps the view of a record that is known already.
func (res *Resource) showAs(r *storage.Record, v doc.Value) (*storage.Record, error) {
	shown := &storage.Record{Key: r.Key, Revision: r.Revision, JSON: codec.AppendObject(nil, v)}
	var err error
	if shown.Parts, err = res.extract(shown.JSON); err != nil {
		return nil, fmt.Errorf("%v as %s: %w", r.Key, res.GVK.Version, err)
	}
	return res.views.add(view{revision: r.Revision, as: res}, shown), nil
}

// shownAhead is how many bytes of a list are converted before it begins.
const shownAhead = 4 << 20

// ShowAhead converts the beginning of a list, so that a conversion that fails is answered with an error, as long as it is
// not too far behind: a long list is converted while it is sent, and can then only break off.
func (res *Resource) ShowAhead(records []*storage.Record) error {
	if res.fromStored == nil {
		return nil
	}
	bytes := 0
	for _, r := range records {
		shown, err := res.Show(r)
		if err != nil {
			return err
		}
		if bytes += len(shown.JSON); bytes > shownAhead {
			break
		}
	}
	return nil
}
