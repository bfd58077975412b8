package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// Limits for one read transaction of Load and one write transaction of Rewrite, so that neither blocks others for long.
const (
	stepRecords = 512
	stepBytes   = 4 << 20
)

// maxRevision is the first revision that clients cannot read exactly.
const maxRevision watch.Revision = 1 << 53

var (
	_ engine.Backend        = (*file)(nil)
	_ engine.BoundedBackend = (*file)(nil)
)

var errReadOnly = errors.New("the file was opened for reading only")

// Begin implements [engine.Backend].
func (f *file) Begin(_ context.Context, clock watch.Revision) (engine.Start, error) {
	if f.opts.ReadOnly {
		err := withPath(f.path, errReadOnly)
		f.failed.Store(&err)
		c := f.current.Load()
		return engine.Start{Revision: c.revision, Oldest: c.oldest, ReadOnly: err}, nil
	}
	if next := max(clock, f.current.Load().revision+1); next >= maxRevision { // the file must not keep a revision that no later clock reaches
		return engine.Start{}, withPath(f.path, fmt.Errorf("%w: the store would begin at %d", storage.ErrRevision, next))
	}
	err := f.update(nil, func(_ *bbolt.Tx, c *committed) error {
		if c.revision = max(clock, c.revision+1); c.oldest == 0 {
			c.oldest = c.revision
		}
		return nil
	})
	c := f.current.Load()
	return engine.Start{Revision: c.revision, Oldest: c.oldest}, err
}

// Load implements [engine.Backend].
func (f *file) Load(ctx context.Context, resource, form string, yield func(engine.Stored) error) error {
	known := f.current.Load().forms
	mine := known.number(resource, form)
	w := walk{file: f, resource: resource, damaged: f.opts.SkipDamaged}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var step []engine.Stored
		var err error
		if step, more, err = w.step(known, mine); err != nil {
			return err
		}
		for _, s := range step {
			if err := yield(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// walk reads the records of a resource in steps.
type walk struct {
	file     *file
	resource string
	after    []byte // the last key
	damaged  func(error)
	texts    []byte // the texts of a step, if the engine does not keep them
}

// copy copies a text out of its page.
func (w *walk) copy(text []byte) []byte {
	if w.file.opts.TextBytes == 0 {
		return bytes.Clone(text)
	}
	start := len(w.texts)
	w.texts = append(w.texts, text...)
	return w.texts[start:len(w.texts):len(w.texts)]
}

// step reads the next few records.
func (w *walk) step(known forms, mine int) (records []engine.Stored, more bool, err error) {
	f, at := w.file, &place{resource: w.resource}
	w.texts = w.texts[:0]
	err = f.view(at, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(objectsBucket)).Bucket([]byte(w.resource))
		if b == nil {
			return nil
		}
		size := 0
		c := b.Cursor()
		for key, value := seekAfter(c, w.after); key != nil; key, value = c.Next() {
			if more = len(records) == stepRecords || size > stepBytes; more {
				return nil
			}
			at.key = keyText(key)
			s, err := f.stored(w.resource, key, value, known, w.copy)
			w.after = bytes.Clone(key)
			if err != nil {
				if err = damaged(f.path, at, "%w", err); w.damaged == nil {
					return err
				}
				w.damaged(err)
				continue
			}
			s.Newer = mine >= 0 && known.number(w.resource, s.Form) > mine
			records = append(records, s)
			size += len(s.JSON)
		}
		return nil
	})
	return records, more, err
}

func seekAfter(c *bbolt.Cursor, after []byte) (key, value []byte) {
	if after == nil {
		return c.First()
	}
	if key, value = c.Seek(after); bytes.Equal(key, after) {
		return c.Next()
	}
	return key, value
}

// stored verifies and opens a record. copied copies the text out of its page.
func (f *file) stored(resource string, key, value []byte, known forms,
	copied func([]byte) []byte) (s engine.Stored, err error) {
	r, err := parseRecord(resource, key, value)
	if err != nil {
		return s, err
	}
	namespace, name, ok := bytes.Cut(key, []byte{0})
	if !ok {
		return s, fmt.Errorf("the key %q has no name", key)
	}
	s = engine.Stored{Key: storage.Key{Resource: resource, Namespace: string(namespace), Name: string(name)},
		Revision: r.revision, Written: storage.Moment(r.written), Creator: r.creator}
	if s.Form, err = known.name(resource, r.form); err != nil {
		return s, err
	}
	s.JSON, err = f.open(objectsBucket, s.Key, r.revision, r.keyID, r.sealed, copied(r.text))
	return s, err
}

// History implements [engine.Backend].
func (f *file) History(ctx context.Context, resource string,
	yield func(engine.PriorState) error) (oldest watch.Revision, err error) {
	at := &place{}
	err = f.view(at, func(tx *bbolt.Tx) error {
		_, s, err := readMeta(tx)
		if err != nil {
			return err
		}
		oldest = s.oldest
		known, err := readForms(tx)
		if err != nil {
			return err
		}
		c := tx.Bucket([]byte(historyBucket)).Cursor()
		var entries int64
		for key, value := c.Last(); key != nil; key, value = c.Prev() {
			entries++
			of := string(resourceOf(value))
			if of != resource && known[of] != nil { // the history of that resource verifies it
				continue
			}
			*at = place{resource: resource, revision: binary.BigEndian.Uint64(key)}
			u, err := f.undo(key, value, known)
			if err != nil {
				return damaged(f.path, at, "%w", err)
			}
			err = yield(u)
			if errors.Is(err, storage.ErrJSON) { // the change is not of the record that the file holds
				return damaged(f.path, at, "%w", err)
			}
			if err != nil {
				return err
			}
		}
		if entries != s.historyEntries {
			*at = place{resource: "the history"}
			return damaged(f.path, at, "it has %d changes instead of %d", entries, s.historyEntries)
		}
		return ctx.Err()
	})
	return oldest, err
}

// undo verifies and opens a change of the history.
func (f *file) undo(key, value []byte, known forms) (u engine.PriorState, err error) {
	c, err := parseChange(key, value)
	if err != nil {
		return u, err
	}
	u = engine.PriorState{Key: c.key, Revision: watch.Revision(binary.BigEndian.Uint64(key)), GroupEnd: c.groupEnd,
		At: time.UnixMicro(c.at), Written: storage.Moment(c.writtenBefore)}
	if u.Form, err = known.name(c.key.Resource, c.form); err != nil || !c.before {
		return u, err
	}
	u.Before, err = f.open(historyBucket, c.key, u.Revision, c.keyID, c.sealed, bytes.Clone(c.text))
	return u, err
}

// Rewrite implements [engine.Backend].
func (f *file) Rewrite(ctx context.Context, resource, form string, records []*storage.Record) error {
	if f.current.Load().forms.number(resource, form) < 0 {
		err := f.update(&place{resource: resource}, func(tx *bbolt.Tx, c *committed) error {
			number := len(c.forms[resource])
			c.forms = c.forms.with(resource, form)
			return putForm(tx, resource, number, form)
		})
		if err != nil {
			return err
		}
	}
	for len(records) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, size := 0, 0
		for n < len(records) && n < stepRecords && size < stepBytes {
			size += records[n].Len()
			n++
		}
		if err := f.rewrite(ctx, resource, form, records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// rewrite replaces records that still have the same revision.
func (f *file) rewrite(ctx context.Context, resource, form string, records []*storage.Record) error {
	at := &place{resource: resource}
	return f.update(at, func(tx *bbolt.Tx, c *committed) error {
		w := writing{ctx: ctx, file: f, tx: tx, committed: c, at: at}
		for _, r := range records {
			old, err := w.current(r.Key)
			if err != nil {
				return err
			}
			if old == nil || old.revision != r.Revision {
				continue
			}
			if err := w.put(r.Key, form, r, old); err != nil {
				return err
			}
		}
		return nil
	})
}

// Room implements [engine.BoundedBackend]. A write needs about twice the bytes by which its objects grow, for the object and
// for the history.
func (f *file) Room(grown int64) error {
	c := f.current.Load()
	if used := c.size - c.free; f.opts.MaxBytes > 0 && used+2*grown > f.opts.MaxBytes {
		return fmt.Errorf("it is full: %d of %d bytes are used; deletions and writes that make objects smaller pass", used,
			f.opts.MaxBytes)
	}
	return nil
}
