package storage

import (
	"hash/maphash"
	"sync/atomic"
)

const (
	internSlots = 1024
	internLimit = 128 // bytes; longer values rarely repeat
)

// interner returns one shared copy of equal short strings, because labels, owners and field values repeat from object
// to object, and comparing a string with itself reads no bytes. It is a fixed table in which a new string replaces the
// previous one in its slot, so it needs no lock and does not grow. The table is made for the first string, because many
// resources have no objects. Package unique does not fit: it forgets a string as soon as its last handle is gone, and
// apimeta.Labels hold plain strings.
type interner struct {
	seed  maphash.Seed
	slots atomic.Pointer[[internSlots]atomic.Pointer[string]]
}

func newInterner() *interner { return &interner{seed: maphash.MakeSeed()} }

// intern returns the bytes as a string. A nil interner always copies.
func (in *interner) intern(b []byte) string {
	if in == nil || len(b) > internLimit {
		return string(b)
	}
	slots := in.slots.Load()
	if slots == nil {
		in.slots.CompareAndSwap(nil, new([internSlots]atomic.Pointer[string]))
		slots = in.slots.Load()
	}
	slot := &slots[maphash.Bytes(in.seed, b)%internSlots]
	if known := slot.Load(); known != nil && *known == string(b) {
		return *known
	}
	s := string(b)
	slot.Store(&s)
	return s
}
