package lifecycle

import (
	"cmp"

	"github.com/tidwall/btree"

	"github.com/decorum-go/decorum/storage"
)

// ages orders the objects of a resource by their last write.
type ages struct {
	order *btree.BTreeG[aged]
	// moved holds the times that bound assigned, by object.
	moved map[storage.Key]storage.Moment
}

// aged is an object and the time of its last write.
type aged struct {
	since  storage.Moment
	record *storage.Record
}

func newAges() *ages {
	return &ages{moved: map[storage.Key]storage.Moment{}, order: btree.NewBTreeGOptions(func(a, b aged) bool {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.record.Key.Namespace, b.record.Key.Namespace),
			cmp.Compare(a.record.Key.Name, b.record.Key.Name)) < 0
	}, btree.Options{NoLocks: true})}
}

func (a *ages) put(r *storage.Record) { a.order.Set(aged{r.Written, r}) }

// drop removes an object. It does nothing if ages does not contain the object.
func (a *ages) drop(r *storage.Record) {
	since := r.Written
	if moved, ok := a.moved[r.Key]; ok {
		since = moved
		delete(a.moved, r.Key)
	}
	a.order.Delete(aged{since, r})
}

// oldest returns the object with the earliest last write.
func (a *ages) oldest() (aged, bool) { return a.order.Min() }

// bound treats objects as written now if their last write appears to be in the future, because the clock was set back.
func (a *ages) bound(now storage.Moment) {
	for {
		youngest, ok := a.order.Max()
		if !ok || youngest.since <= now {
			return
		}
		a.drop(youngest.record)
		a.moved[youngest.record.Key] = now
		a.order.Set(aged{now, youngest.record})
	}
}
