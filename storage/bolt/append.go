package bolt

import (
	"context"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
)

// Append implements [engine.Backend]: one transaction and one sync for all groups. Each transaction also drops a few
// of the changes that exceed the bounds of the history.
func (f *file) Append(ctx context.Context, groups []engine.Group) error {
	at := &place{}
	return f.update(at, func(tx *bbolt.Tx, c *committed) error {
		w := writing{ctx: ctx, file: f, tx: tx, committed: c, at: at}
		changes := 0
		for _, g := range groups {
			for _, e := range g.Entries {
				if err := w.change(e, g); err != nil {
					return err
				}
			}
			changes += len(g.Entries)
		}
		return w.trim(minTrim + 2*changes)
	})
}

// writing is a write transaction.
type writing struct {
	*committed
	ctx  context.Context
	file *file
	tx   *bbolt.Tx
	at   *place
}

// change writes one change of a group: the object, and how to undo it.
func (w *writing) change(e storage.Entry, g engine.Group) error {
	*w.at = place{resource: e.Key.Resource, key: e.Key.Namespace + "/" + e.Key.Name}
	old, err := w.current(e.Key)
	if err != nil {
		return err
	}
	if (old == nil) != (e.Previous == nil) || old != nil && old.revision != e.Previous.Revision {
		return damaged(w.file.path, w.at, "the file does not hold the record that the write replaces")
	}
	if err := w.record(e, g); err != nil {
		return err
	}
	w.revision = max(w.revision, e.Revision)
	if e.Current == nil {
		return w.delete(e.Key, old)
	}
	return w.put(e.Key, e.Form, e.Current, old)
}

// current returns the stored record of an object, or nil. Its bytes belong to the page.
func (w *writing) current(key storage.Key) (*record, error) {
	b := w.tx.Bucket([]byte(objectsBucket)).Bucket([]byte(key.Resource))
	if b == nil {
		return nil, nil
	}
	k := bucketKey(key)
	value := b.Get(k)
	if value == nil {
		return nil, nil
	}
	r, err := parseRecord(key.Resource, k, value)
	if err != nil {
		return nil, damaged(w.file.path, w.at, "%w", err)
	}
	return &r, nil
}

// put writes an object, or replaces the stored one, which is old.
func (w *writing) put(key storage.Key, form string, r *storage.Record, old *record) error {
	number := w.forms.number(key.Resource, form)
	if number < 0 {
		return fmt.Errorf("the form %q of %q was not noted before", form, key.Resource)
	}
	json, err := r.JSON(w.ctx)
	if err != nil {
		return err
	}
	text, keyID, err := w.file.seal(objectsBucket, key, r.Revision, json)
	if err != nil {
		return fmt.Errorf("the object%s cannot be sealed: %w", w.at, err)
	}
	next := record{form: uint32(number), revision: r.Revision, written: int64(r.Written), sealed: w.file.opts.Transformer != nil,
		keyID: keyID, creator: r.Creator, text: text}
	return w.putRecord(key, &next, old)
}

func (w *writing) putRecord(key storage.Key, r, old *record) error {
	objects := w.tx.Bucket([]byte(objectsBucket))
	b, err := objects.CreateBucketIfNotExists([]byte(key.Resource))
	if err != nil {
		return err
	}
	k := bucketKey(key)
	value := withChecksum(objectsBucket+"/"+key.Resource, k,
		r.append(make([]byte, 0, recordHeader+1+len(r.keyID)+len(r.creator)+len(r.text)+checksumSize)))
	w.count(old, 1, len(value))
	return b.Put(k, value)
}

func (w *writing) delete(key storage.Key, old *record) error {
	w.count(old, 0, 0)
	return w.tx.Bucket([]byte(objectsBucket)).Bucket([]byte(key.Resource)).Delete(bucketKey(key))
}

// count updates the figures of the file when values with a number of bytes replace old, which may be nil.
func (w *writing) count(old *record, values int64, size int) {
	if old != nil {
		values, size = values-1, size-old.size
	}
	w.objects += values
	w.objectBytes += int64(size)
}

// record adds a change to the history.
func (w *writing) record(e storage.Entry, g engine.Group) error {
	number := w.forms.number(e.Key.Resource, e.Form)
	if number < 0 {
		return fmt.Errorf("the form %q of %q was not noted before", e.Form, e.Key.Resource)
	}
	c := change{form: uint32(number), groupEnd: g.Entries[len(g.Entries)-1].Revision, at: g.At.UnixMicro(), key: e.Key}
	if e.Previous != nil {
		json, err := e.Previous.JSON(w.ctx)
		if err != nil {
			return err
		}
		text, keyID, err := w.file.seal(historyBucket, e.Key, e.Revision, json)
		if err != nil {
			return fmt.Errorf("the change%s cannot be sealed: %w", w.at, err)
		}
		c.before, c.writtenBefore, c.text, c.keyID, c.sealed = true, int64(e.Previous.Written), text, keyID,
			w.file.opts.Transformer != nil
	}
	return w.putChange(revisionKey(e.Revision), &c, nil)
}

// putChange writes a change to the history. old is the value that it replaces, or nil.
func (w *writing) putChange(key []byte, c *change, old []byte) error {
	b := w.tx.Bucket([]byte(historyBucket))
	b.FillPercent = 0.95 // revisions only ascend
	names := len(c.key.Resource) + len(c.key.Namespace) + len(c.key.Name) + 3
	value := withChecksum(historyBucket, key,
		c.append(make([]byte, 0, changeHeader+1+len(c.keyID)+names+len(c.text)+checksumSize)))
	if old == nil {
		w.historyEntries++
	}
	w.historyBytes += int64(len(value) - len(old))
	return b.Put(key, value)
}
