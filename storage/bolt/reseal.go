package bolt

import (
	"bytes"
	"context"
	"encoding/binary"

	bbolt "go.etcd.io/bbolt"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Reseal seals all objects and the history with the current key of the [Transformer], and returns how many texts it has
// resealed. Without a transformer, it does nothing. Reseal works in small transactions while the store serves, so call
// it in a goroutine after a change of the key. Once it has returned nil, the store no longer needs older keys. It sends
// no events and changes no revisions.
func (s *Store) Reseal(ctx context.Context) (sealed int, err error) {
	f := s.file
	if f.opts.Transformer == nil {
		return 0, nil
	}
	resources, err := f.resources()
	if err != nil {
		return 0, err
	}
	for _, resource := range resources {
		n, err := f.resealSteps(ctx, &resealing{file: f, bucket: []string{objectsBucket, resource}})
		if sealed += n; err != nil {
			return sealed, err
		}
	}
	n, err := f.resealSteps(ctx, &resealing{file: f, bucket: []string{historyBucket}})
	return sealed + n, err
}

// resources returns the resources that have, or had, objects in the file.
func (f *file) resources() (all []string, err error) {
	err = f.view(&place{resource: "the list of resources"}, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(objectsBucket)).ForEachBucket(func(key []byte) error {
			all = append(all, string(key))
			return nil
		})
	})
	return all, err
}

// resealing walks through a bucket.
type resealing struct {
	*file
	bucket []string
	after  []byte
	due    [][]byte // keys of values to reseal
}

func (f *file) resealSteps(ctx context.Context, r *resealing) (sealed int, err error) {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return sealed, err
		}
		if more, err = r.look(); err != nil {
			return sealed, err
		}
		if len(r.due) == 0 {
			continue
		}
		at := &place{}
		n := 0
		err = f.update(at, func(tx *bbolt.Tx, c *committed) error {
			w := writing{file: f, tx: tx, committed: c, at: at}
			for _, key := range r.due {
				done, err := r.again(&w, key)
				if err != nil {
					return damaged(f.path, at, "%w", err)
				}
				if done {
					n++
				}
			}
			return nil
		})
		if err != nil {
			return sealed, err
		}
		sealed += n
		r.due = nil
	}
	return sealed, nil
}

func (r *resealing) in(tx *bbolt.Tx) *bbolt.Bucket {
	b := tx.Bucket([]byte(r.bucket[0]))
	if len(r.bucket) > 1 {
		return b.Bucket([]byte(r.bucket[1]))
	}
	return b
}

// look collects the keys of the next values that are plain or sealed with an older key. Concurrent writes already use
// the current key.
func (r *resealing) look() (more bool, err error) {
	keyID := r.opts.Transformer.KeyID()
	at := &place{resource: r.bucket[len(r.bucket)-1]}
	visited, size := 0, 0
	err = r.view(at, func(tx *bbolt.Tx) error {
		c := r.in(tx).Cursor()
		for key, value := seekAfter(c, r.after); key != nil; key, value = c.Next() {
			if more = len(r.due) == stepRecords || size > stepBytes || visited == 64*stepRecords; more {
				return nil
			}
			visited++
			r.after = bytes.Clone(key)
			at.key = keyText(key)
			sealed, id, err := r.sealedWith(key, value)
			if err != nil {
				return damaged(r.path, at, "%w", err)
			}
			if !sealed || id != keyID {
				r.due = append(r.due, r.after)
				size += len(value)
			}
		}
		return nil
	})
	return more, err
}

// sealedWith returns the key with which a value is sealed. A change that created an object has no text, and counts as
// sealed.
func (r *resealing) sealedWith(key, value []byte) (sealed bool, keyID string, err error) {
	if len(r.bucket) > 1 {
		v, err := parseRecord(r.bucket[1], key, value)
		return v.sealed, v.keyID, err
	}
	c, err := parseChange(key, value)
	if !c.before {
		return true, r.opts.Transformer.KeyID(), err
	}
	return c.sealed, c.keyID, err
}

// again reseals one value, if it still exists.
func (r *resealing) again(w *writing, key []byte) (done bool, err error) {
	value := r.in(w.tx).Get(key)
	if value == nil {
		return false, nil
	}
	if len(r.bucket) == 1 {
		return r.changeAgain(w, key, value)
	}
	resource := r.bucket[1]
	*w.at = place{resource: resource, key: keyText(key)}
	v, err := parseRecord(resource, key, value)
	if err != nil {
		return false, err
	}
	old := v
	namespace, name, _ := bytes.Cut(key, []byte{0})
	k := storage.Key{Resource: resource, Namespace: string(namespace), Name: string(name)}
	text, err := r.open(objectsBucket, k, v.revision, v.keyID, v.sealed, bytes.Clone(v.text))
	if err != nil {
		return false, err
	}
	if v.text, v.keyID, err = r.seal(objectsBucket, k, v.revision, text); err != nil {
		return false, err
	}
	v.sealed = true
	return true, w.putRecord(k, &v, &old)
}

func (r *resealing) changeAgain(w *writing, key, value []byte) (done bool, err error) {
	revision := watch.Revision(binary.BigEndian.Uint64(key))
	*w.at = place{revision: uint64(revision)}
	c, err := parseChange(key, value)
	if err != nil || !c.before {
		return false, err
	}
	text, err := r.open(historyBucket, c.key, revision, c.keyID, c.sealed, bytes.Clone(c.text))
	if err != nil {
		return false, err
	}
	if c.text, c.keyID, err = r.seal(historyBucket, c.key, revision, text); err != nil {
		return false, err
	}
	c.sealed = true
	return true, w.putChange(key, &c, value)
}
