package storage

import (
	"hash/maphash"
	"sync/atomic"
)

const (
	internSlots = 1024
	internLimit = 128 // bytes; longer values are rarely the same
)

// interner gives equal short strings one copy, as far as it remembers: labels, owners and field values repeat from object to object, and comparing
// a string with itself looks at no byte. It is a table in which a newcomer takes the place of whoever had it, so its size is fixed and it needs no lock.
// Package unique would forget a string as soon as nobody holds its handle, and apimeta.Labels hold plain strings.
type interner struct {
	seed  maphash.Seed
	slots [internSlots]atomic.Pointer[string]
}

func newInterner() *interner { return &interner{seed: maphash.MakeSeed()} }

// intern returns the bytes as a string. A nil interner copies.
func (in *interner) intern(b []byte) string {
	if in == nil || len(b) > internLimit {
		return string(b)
	}
	slot := &in.slots[maphash.Bytes(in.seed, b)%internSlots]
	if known := slot.Load(); known != nil && *known == string(b) {
		return *known
	}
	s := string(b)
	slot.Store(&s)
	return s
}
