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
	behind bool
}

func newLater[K comparable]() later[K] {
	return later[K]{
		byTime: btree.NewBTreeGOptions(func(a, b timed[K]) bool {
			return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.number, b.number)) < 0
		}, btree.Options{NoLocks: true}),
		byKey: map[K]timed[K]{},
	}
}

// put makes a key wait until due. If the key waits already, the earlier time counts, and the key goes behind others
// only if all calls ask for that.
func (l *later[K]) put(key K, due time.Time, behind bool) {
	l.count++
	t := timed[K]{due, l.count, key, behind}
	if old, ok := l.byKey[key]; ok {
		l.byTime.Delete(old)
		if t.behind = behind && old.behind; !due.Before(old.due) {
			t.due, t.number = old.due, old.number
		}
	}
	l.byKey[key] = t
	l.byTime.Set(t)
}

// first returns the time of the earliest key.
func (l *later[K]) first() (time.Time, bool) {
	t, ok := l.byTime.Min()
	return t.due, ok
}

// take removes and returns the earliest key, and reports whether it goes behind others. At least one key must be
// waiting.
func (l *later[K]) take() (key K, behind bool) {
	t, _ := l.byTime.PopMin()
	delete(l.byKey, t.key)
	return t.key, t.behind
}
