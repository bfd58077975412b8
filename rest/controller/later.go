package controller

import (
	"cmp"
	"time"

	"github.com/tidwall/btree"
)

// later holds the keys that wait for a time, each once.
type later[K comparable] struct {
	byTime *btree.BTreeG[timed[K]]
	byKey  map[K]timed[K]
	count  uint64
}

type timed[K comparable] struct {
	due    time.Time
	number uint64 // orders keys of the same time by arrival
	key    K
}

func newLater[K comparable]() later[K] {
	return later[K]{
		byTime: btree.NewBTreeGOptions(func(a, b timed[K]) bool {
			return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.number, b.number)) < 0
		}, btree.Options{NoLocks: true}),
		byKey: map[K]timed[K]{},
	}
}

// put makes a key wait until due. A key that waits for an earlier time keeps that time.
func (l *later[K]) put(key K, due time.Time) {
	if old, ok := l.byKey[key]; ok {
		if !due.Before(old.due) {
			return
		}
		l.byTime.Delete(old)
	}
	l.count++
	t := timed[K]{due, l.count, key}
	l.byKey[key] = t
	l.byTime.Set(t)
}

// first returns the time of the earliest key.
func (l *later[K]) first() (time.Time, bool) {
	t, ok := l.byTime.Min()
	return t.due, ok
}

// take removes and returns the earliest key. There must be one.
func (l *later[K]) take() K {
	t, _ := l.byTime.PopMin()
	delete(l.byKey, t.key)
	return t.key
}
