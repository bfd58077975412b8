// Package intern makes the records of a resource share equal strings, labels and field values.
package intern

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/decorum-go/decorum/apimeta"
)

const (
	slotCount   = 1024
	stringLimit = 128 // bytes; longer values rarely repeat
	labelsLimit = 512 // bytes of JSON; larger sets of labels would keep too much memory
	fieldsLimit = 512 // bytes of all field values
)

// Table returns one shared copy of equal short strings, because labels, owners and field values repeat from object
// to object, and comparing a string with itself reads no bytes. It does the same for all labels and for all field
// values of an object, so that a selector reads less memory. It consists of fixed tables in which a new value replaces
// the previous one in its slot, so it needs no lock and does not grow. A table is made for its first value, because
// many resources have no objects. Package unique does not fit: it forgets a string as soon as its last handle is gone,
// and apimeta.Labels hold plain strings.
type Table struct {
	seed    maphash.Seed
	strings slots[string]
	labels  slots[apimeta.Labels]
	fields  slots[[]string]
}

// slots is a table of shared values.
type slots[T any] struct {
	table atomic.Pointer[[slotCount]atomic.Pointer[T]]
}

// at returns the slot of a hash.
func (s *slots[T]) at(hash uint64) *atomic.Pointer[T] {
	table := s.table.Load()
	if table == nil {
		s.table.CompareAndSwap(nil, new([slotCount]atomic.Pointer[T]))
		table = s.table.Load()
	}
	return &table[hash%slotCount]
}

// New returns an empty Table.
func New() *Table { return &Table{seed: maphash.MakeSeed()} }

// String returns the bytes as a string. A nil Table always copies.
func (in *Table) String(b []byte) string {
	if in == nil || len(b) > stringLimit {
		return string(b)
	}
	slot := in.strings.at(maphash.Bytes(in.seed, b))
	if known := slot.Load(); known != nil && *known == string(b) {
		return *known
	}
	s := string(b)
	slot.Store(&s)
	return s
}

// Labels returns the labels of a text. It calls read only if it does not find labels that isTextOf accepts. A nil Table
// always reads, and so does one that receives a large text.
func (in *Table) Labels(
	text []byte, isTextOf func(apimeta.Labels) bool, read func() apimeta.Labels,
) apimeta.Labels {
	if in == nil || len(text) > labelsLimit {
		return read()
	}
	slot := in.labels.at(maphash.Bytes(in.seed, text))
	if known := slot.Load(); known != nil && isTextOf(*known) {
		return *known
	}
	labels := read()
	if len(labels) > 0 {
		slot.Store(&labels)
	}
	return labels
}

// Fields returns one shared copy of equal field values of an object. A nil Table returns its argument, and so
// does one that receives long values.
func (in *Table) Fields(values []string) []string {
	if in == nil || len(values) == 0 {
		return values
	}
	hash, size := uint64(0), 0
	for _, v := range values {
		hash = bits.RotateLeft64(hash, 1) ^ maphash.String(in.seed, v)
		size += len(v)
	}
	if size > fieldsLimit {
		return values
	}
	slot := in.fields.at(hash)
	if known := slot.Load(); known != nil && slices.Equal(*known, values) {
		return *known
	}
	shared := values
	slot.Store(&shared)
	return values
}
