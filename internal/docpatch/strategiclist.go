package docpatch

import (
	"github.com/decorum-go/decorum/internal/doc"
)

// merge applies a patch to a list. before, if not nil, is the order of the elements before the patch moved them, which
// a caller needs to arrange the list once more.
//
// A list is replaced unless its field has the strategy merge. If deletion is set, patch is the list of a
// $deleteFromPrimitiveList, which merge carries out whatever the strategy.
func (f field) merge(old, patch doc.Value, deletion bool) (merged doc.Value, before []doc.Value, err error) {
	if f.strategy != strategyMerge && !deletion {
		return patch, nil, nil
	}
	if old.Len() == 0 && patch.Len() == 0 {
		return old, nil, nil
	}
	kind, err := elementKind(old, patch)
	switch {
	case err != nil:
		return doc.Value{}, nil, err
	case kind == doc.Map && f.key == "":
		return doc.Value{}, nil, noKeyForMaps()
	case kind == doc.Map:
		return f.mergeMaps(old, patch)
	case deletion:
		return without(old, patch), nil, nil
	case f.key != "":
		return doc.Value{}, nil, wrongElement(doc.MapOf(), union(elements(old), patch)[0])
	}
	list := elements(old)
	merged, err = f.arrange(union(list, patch), elements(patch), list)
	return merged, nil, err
}

// mergeMaps merges lists of maps by their key.
func (f field) mergeMaps(old, patch doc.Value) (merged doc.Value, before []doc.Value, err error) {
	named, deleted, replace, err := f.instructions(patch)
	if err != nil {
		return doc.Value{}, nil, err
	}
	before = elements(old)
	if len(deleted) > 0 {
		before = f.withoutKeys(before, deleted)
	}
	if replace {
		merged, err = f.arrange(named, nil, named)
		return merged, before, err
	}
	all := make([]doc.Value, len(before), len(before)+len(named))
	copy(all, before)
	at := f.positions(before)
	for _, v := range named {
		key := v.Get(f.key)
		if key.IsAbsent() {
			return doc.Value{}, nil, noKey(v, f.key)
		}
		i := at.of(key)
		if i < 0 {
			at.add(key)
			all = append(all, v)
			continue
		}
		if all[i], err = mergeMap(all[i], v, f.schema); err != nil {
			return doc.Value{}, nil, err
		}
	}
	if merged, err = f.arrange(all, named, before); err != nil {
		return doc.Value{}, nil, err
	}
	// An element that the patch deletes and adds again counts as old, at the place it got first.
	return merged, all[:min(len(all), old.Len())], nil
}

// instructions returns the elements to merge, the keys to delete, and whether the patch replaces the whole old list.
func (f field) instructions(patch doc.Value) (named []doc.Value, deleted []doc.Value, replace bool, err error) {
	named = make([]doc.Value, 0, patch.Len())
	for _, v := range patch.Elements() {
		what := v.Get(directive)
		if what.IsAbsent() {
			named = append(named, v)
			continue
		}
		switch what.Text() {
		case directDelete:
			key := v.Get(f.key)
			if key.IsAbsent() {
				return nil, nil, false, noKey(v, f.key)
			}
			deleted = append(deleted, key)
		case directReplace:
			replace = true
		case directMerge:
			return nil, nil, false, unmergeable("merging lists cannot yet be specified in the patch")
		default:
			return nil, nil, false, unknownDirective(what, v)
		}
	}
	return named, deleted, replace, nil
}

func (f field) withoutKeys(list, keys []doc.Value) []doc.Value {
	gone := positionsOf(keys)
	kept := make([]doc.Value, 0, len(list))
	for _, v := range list {
		if key := v.Get(f.key); key.IsAbsent() || gone.of(key) < 0 {
			kept = append(kept, v)
		}
	}
	return kept
}

// without returns list without the scalars in deleted.
func without(list, deleted doc.Value) doc.Value {
	gone := positionsOf(elements(deleted))
	return list.Rewrite(func(_ int, _ string, v doc.Value) doc.Value {
		if gone.of(v) >= 0 {
			return doc.Value{}
		}
		return v
	})
}

// union returns the scalars of both lists, without duplicates.
func union(list []doc.Value, added doc.Value) []doc.Value {
	all := make([]doc.Value, 0, len(list)+added.Len())
	var seen positions
	add := func(v doc.Value) {
		if seen.of(v) < 0 {
			seen.add(v)
			all = append(all, v)
		}
	}
	for _, v := range list {
		add(v)
	}
	for _, v := range added.Elements() {
		add(v)
	}
	return all
}

// elementKind returns the kind that all elements of the lists have.
func elementKind(lists ...doc.Value) (doc.Kind, error) {
	kind := doc.Absent
	for _, list := range lists {
		for _, v := range list.Elements() {
			switch {
			case kind == doc.Absent && v.Kind() == doc.List:
				return kind, listOfLists()
			case kind != doc.Absent && v.Kind() != kind, v.IsNull():
				return kind, mixedElements(lists)
			}
			kind = v.Kind()
		}
	}
	if kind == doc.Absent {
		return kind, unmergeable("no elements in any of the given slices")
	}
	return kind, nil
}

func elements(list doc.Value) []doc.Value {
	values := make([]doc.Value, list.Len())
	for i := range values {
		values[i] = list.At(i)
	}
	return values
}
