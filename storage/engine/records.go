package engine

import (
	"hash/maphash"
	"math/bits"

	"github.com/tidwall/btree"

	"github.com/decorum-go/decorum/storage"
)

// records are the latest records of a table, in the order of their keys. A map finds a single one by the hash of its
// key. In a large tree, the processor would wait for memory at most of the twenty comparisons with other records.
type records struct {
	*btree.BTreeG[*storage.Record]
	byHash map[uint64]*storage.Record
	hash   func(storage.Key) uint64
}

// several stands in the map for a hash of several keys, whose records only the tree finds.
var several = new(storage.Record)

func newRecords() *records {
	return &records{BTreeG: newTree(), byHash: map[uint64]*storage.Record{}, hash: newHash()}
}

func newTree() *btree.BTreeG[*storage.Record] {
	return btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})
}

// newHash returns a hash of the keys of one resource. Its seed is random, so clients cannot choose keys with the same
// hash.
func newHash() func(storage.Key) uint64 {
	seed := maphash.MakeSeed()
	return func(k storage.Key) uint64 {
		return bits.RotateLeft64(maphash.String(seed, k.Namespace), 1) ^ maphash.String(seed, k.Name)
	}
}

// Set adds a record, or replaces the one with its key.
func (t *records) Set(r *storage.Record) {
	t.BTreeG.Set(r)
	t.note(r)
}

// Load is Set. It is fast for records that are added in the order of their keys.
func (t *records) Load(r *storage.Record) {
	t.BTreeG.Load(r)
	t.note(r)
}

func (t *records) note(r *storage.Record) {
	h := t.hash(r.Key)
	if other := t.byHash[h]; other != nil && !sameKey(other.Key, r.Key) {
		r = several
	}
	t.byHash[h] = r
}

// Delete removes the record with the key of r.
func (t *records) Delete(r *storage.Record) {
	t.BTreeG.Delete(r)
	if h := t.hash(r.Key); t.byHash[h] != several {
		delete(t.byHash, h)
	}
}

// at returns the record of a key, or nil. It returns known as false if only the tree knows.
func (t *records) at(k storage.Key) (r *storage.Record, known bool) {
	r = t.byHash[t.hash(k)]
	switch {
	case r == several:
		return nil, false
	case r == nil || !sameKey(r.Key, k):
		return nil, true
	}
	return r, true
}

// sameKey compares keys of one resource.
func sameKey(a, b storage.Key) bool { return a.Name == b.Name && a.Namespace == b.Namespace }
