package docpatch

import (
	"sort"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// orderedLists carries out the $setElementOrder directives of a patch, and merges the lists that they order. The result
// is sorted by name.
func orderedLists(target, patch doc.Value, s *schema.Schema) ([]doc.Member, error) {
	var lists []doc.Member
	for key, order := range patch.Members() {
		if !strings.HasPrefix(key, orderDirective) {
			continue
		}
		if order.Kind() != doc.List {
			return nil, wrongElement(doc.ListOf(), order)
		}
		name, ok := strings.CutPrefix(key, orderDirective+"/")
		if !ok {
			return nil, malformedOrder()
		}
		list, err := orderedList(target.Get(name), patch.Get(name), order, name, s)
		if err != nil {
			return nil, err
		}
		if !list.IsAbsent() {
			lists = append(lists, doc.Member{Key: name, Value: list})
		}
	}
	return lists, nil
}

// orderedList merges one list and gives it the order of the directive. The result is absent if neither object nor patch
// has the list.
func orderedList(old, patch, order doc.Value, name string, s *schema.Schema) (doc.Value, error) {
	for _, list := range [...]doc.Value{old, patch} {
		if !list.IsAbsent() && list.Kind() != doc.List {
			return doc.Value{}, wrongElement(doc.ListOf(), list)
		}
	}
	f, err := listFieldOf(s, name)
	if err != nil {
		return doc.Value{}, err
	}
	if err := f.checkOrder(patch, order); err != nil {
		return doc.Value{}, err
	}
	var merged doc.Value
	var before []doc.Value
	switch {
	case patch.IsAbsent() && old.IsAbsent():
		return doc.Value{}, nil
	case patch.IsAbsent():
		merged = old
	case old.IsAbsent():
		merged = withoutDirected(patch)
	default:
		if merged, before, err = f.merge(old, patch, false); err != nil {
			return doc.Value{}, err
		}
	}
	if _, err := elementKind(old, patch); err != nil {
		return doc.Value{}, err
	}
	if before == nil {
		before = elements(old)
	}
	for _, list := range [...][]doc.Value{elements(order), before} {
		if err := f.checkKeys(list); err != nil {
			return doc.Value{}, err
		}
	}
	result, err := f.arrange(elements(merged), elements(order), before)
	return unlessSame(old, result), err
}

// checkOrder returns an error if the elements of the patch are not in the order of the directive, or if the directive
// does not name one of them. It need not name elements to be deleted.
func (f field) checkOrder(patch, order doc.Value) error {
	if order.Len() == 0 || patch.Len() == 0 {
		return nil
	}
	at := 0
	for _, v := range patch.Elements() {
		if f.key != "" && v.Kind() != doc.Map {
			return wrongElement(doc.MapOf(), v)
		}
	}
	for _, v := range patch.Elements() {
		what := v.Get(directive)
		switch {
		case f.key != "" && what.Text() == directDelete:
			continue
		case !what.IsAbsent() && at < order.Len():
			continue
		}
		for found := false; !found; at++ {
			if at >= order.Len() {
				return otherOrder(patch, order)
			}
			same, err := f.same(v, order.At(at))
			if err != nil {
				return err
			}
			found = same
		}
	}
	return nil
}

// same reports whether two elements have the same key or, in a list of scalars, the same value.
func (f field) same(a, b doc.Value) (bool, error) {
	if f.key == "" {
		return a == b, nil
	}
	for _, v := range [...]doc.Value{a, b} {
		if err := f.checkKey(v); err != nil {
			return false, err
		}
	}
	return a.Get(f.key) == b.Get(f.key), nil
}

func (f field) checkKeys(list []doc.Value) error {
	for _, v := range list {
		if err := f.checkKey(v); err != nil {
			return err
		}
	}
	return nil
}

// checkKey returns an error for an element without an identity: its key, or its value if it is a scalar.
func (f field) checkKey(v doc.Value) error {
	switch {
	case f.key == "" && !isScalar(v):
		return noKeyForMaps()
	case f.key == "":
	case v.Kind() != doc.Map:
		return wrongElement(doc.MapOf(), v)
	case !v.Has(f.key):
		return noKey(v, f.key)
	}
	return nil
}

// arrange puts merged elements in their final order: those that the patch names in the order of the patch, the others
// in their old order. It then interleaves the two sequences: it takes the next of the others first if that one preceded
// the next named one in the old list, and otherwise the named one.
func (f field) arrange(merged, named, before []doc.Value) (doc.Value, error) {
	inPatch, inOld := f.positions(named), f.positions(before)
	var mine, others ranking
	all := make([]ranked, 0, len(merged))
	for _, v := range merged {
		if err := f.checkKey(v); err != nil {
			return doc.Value{}, err
		}
		r := ranked{value: v, rank: inPatch.of(f.keyOf(v)), place: inOld.of(f.keyOf(v))}
		if r.rank >= 0 {
			all = append(all, r)
		}
	}
	mine = all
	for _, v := range merged {
		r := ranked{value: v, place: inOld.of(f.keyOf(v))}
		r.rank = r.place
		if inPatch.of(f.keyOf(v)) < 0 {
			all = append(all, r)
		}
	}
	others = all[len(mine):]
	mine.sort()
	others.sort()
	values := make([]doc.Value, 0, len(merged))
	for len(mine) > 0 && len(others) > 0 {
		from := &mine
		if o, m := others[0].place, mine[0].place; o >= 0 && m >= 0 && o < m {
			from = &others
		}
		values = append(values, (*from)[0].value)
		*from = (*from)[1:]
	}
	for _, rest := range [...]ranking{mine, others} {
		for _, r := range rest {
			values = append(values, r.value)
		}
	}
	return doc.ListOf(values...), nil
}

// ranked is an element with its rank, by which it is sorted, and its place in the old list. Both are -1 if the element
// has none.
type ranked struct {
	value       doc.Value
	rank, place int
}

// ranking sorts elements by rank.
type ranking []ranked

func (r ranking) Len() int      { return len(r) }
func (r ranking) Swap(i, j int) { r[i], r[j] = r[j], r[i] }

// Less compares as upstream does, also elements without a rank. That is not a strict order, so the result depends on
// the sorting algorithm: upstream uses sort.Stable.
func (r ranking) Less(i, j int) bool {
	return r[i].rank < 0 || r[j].rank < 0 || r[i].rank < r[j].rank
}

func (r ranking) sort() {
	for i, e := range r {
		if e.rank < 0 || i > 0 && e.rank < r[i-1].rank {
			sort.Stable(r)
			return
		}
	}
}
