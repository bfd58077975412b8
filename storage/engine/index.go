package engine

import (
	"slices"
	"sort"

	"github.com/tidwall/btree"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// index finds the records of a resource by their value of one label or field, in list order. It omits records without a
// value.
type index struct {
	watch.Index
	tree *btree.BTreeG[indexed]
}

// indexed is a record with its value in the index. The value is stored here so that most comparisons need not read the
// record.
type indexed struct {
	value  string
	record *storage.Record
}

func newIndexes(of []watch.Index) []index {
	all := make([]index, len(of))
	for i := range of {
		all[i] = newIndex(of[i])
	}
	return all
}

func newIndex(of watch.Index) index {
	before := func(a, b indexed) bool {
		if a.value != b.value {
			return a.value < b.value
		}
		return keyBefore(a.record.Key, b.record.Key)
	}
	if of.Numeric {
		before = func(a, b indexed) bool {
			if order := of.Compare(a.value, b.value); order != 0 {
				return order < 0
			}
			return keyBefore(a.record.Key, b.record.Key)
		}
	}
	return index{of, btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
}

// replace replaces one state of an object by another. Either may be nil.
func (i index) replace(old, next *storage.Record) {
	var was, is string
	var had, has bool
	if old != nil {
		was, had = old.Value(i.Index)
	}
	if next != nil {
		is, has = next.Value(i.Index)
	}
	if had && !(has && was == is) {
		i.tree.Delete(indexed{was, old})
	}
	if has {
		i.tree.Set(indexed{is, next})
	}
}

// rank returns how many entries precede the first entry of the value whose key is not before the given key.
func (i index) rank(value string, key storage.Key) int {
	probe := indexed{value, &storage.Record{Key: key}}
	return sort.Search(i.tree.Len(), func(at int) bool {
		e, _ := i.tree.GetAt(at)
		return !i.tree.Less(e, probe)
	})
}

// afterAll is a key after all keys, because no name contains the byte 0xff.
var afterAll = storage.Key{Namespace: "\xff", Name: "\xff"}

// count returns how many records of a scope have a value.
func (i index) count(within watch.Key, value string) int {
	last := storage.Key{Namespace: within.Namespace + "\x00"}
	if within.Namespace == "" {
		last = afterAll
	}
	return i.rank(value, last) - i.rank(value, storage.Key{Namespace: within.Namespace})
}

// index returns the table's own tree of an index, or nil if the table does not have it. The caller holds the lock.
func (t *table) index(of watch.Index) *index {
	if i := slices.Index(t.form.Indexed, of); i >= 0 {
		return &t.indexes[i]
	}
	return nil
}

// narrowest returns the term whose index finds the fewest records of a scope, or nil if no index helps.
func (o *objects) narrowest(t *table, within watch.Key, terms []watch.Term) (best *watch.Term) {
	if within.Name != "" || len(terms) == 0 {
		return nil
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	least := 0
	for _, term := range terms {
		i := t.index(term.Index)
		if i == nil || term.Label == "" && term.Value == "" {
			continue
		}
		if count := i.count(within, term.Value); best == nil || count < least {
			best, least = &term, count
		}
	}
	return best
}

// has reports whether a record has the value of a term. A term with the value "" of a field also matches records
// without the field.
func hasTerm(r *storage.Record, t watch.Term) bool {
	value, ok := r.Value(t.Index)
	return value == t.Value && (ok || t.Label == "")
}
