package docpatch

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// The directives of a strategic merge patch, and the values of $patch.
const (
	directive       = "$patch"
	directReplace   = "replace"
	directDelete    = "delete"
	directMerge     = "merge"
	retainDirective = "$retainKeys"
	orderDirective  = "$setElementOrder"
	deleteDirective = "$deleteFromPrimitiveList"
)

// mergeMap applies a patch to a map. It recurses as deep as the patch, whose depth the parser bounds.
//
// It handles lists with an order first, because the order replaces the plain merge, and deletions from lists last, so
// that they work on the merged lists.
func mergeMap(target, patch doc.Value, s *schema.Schema) (doc.Value, error) {
	if what := patch.Get(directive); !what.IsAbsent() {
		return directedMap(what, patch)
	}
	target, err := retain(target, patch)
	if err != nil {
		return doc.Value{}, err
	}
	ordered, err := orderedLists(target, patch, s)
	if err != nil {
		return doc.Value{}, err
	}
	changes := make([]doc.Member, 0, patch.Len())
	deletions := false
	for name, value := range patch.Members() {
		if strings.HasPrefix(name, "$") {
			if strings.HasPrefix(name, deleteDirective) {
				deletions = true
				continue
			}
			if name == retainDirective || strings.HasPrefix(name, orderDirective) {
				continue
			}
		}
		if isChanged(ordered, name) {
			continue
		}
		value, err := mergeMember(target.Get(name), value, name, s, false)
		if err != nil {
			return doc.Value{}, err
		}
		changes = append(changes, doc.Member{Key: name, Value: value})
	}
	if len(ordered) > 0 {
		target = target.WithAll(ordered)
	}
	target = target.WithAll(changes)
	if deletions {
		return deleteScalars(target, patch, s)
	}
	return target, nil
}

// directedMap returns the result of a map with a $patch in it.
func directedMap(what, patch doc.Value) (doc.Value, error) {
	switch what.Text() {
	case directReplace:
		return patch.Without(directive), nil
	case directDelete:
		return doc.MapOf(), nil
	}
	return doc.Value{}, unknownDirective(what, patch)
}

// retain drops the members that $retainKeys does not list. That list must name every member that the patch sets.
func retain(target, patch doc.Value) (doc.Value, error) {
	keep := patch.Get(retainDirective)
	if keep.IsAbsent() {
		return target, nil
	}
	if keep.Kind() != doc.List {
		return doc.Value{}, malformedRetainKeys()
	}
	kept := make(map[string]bool, keep.Len())
	for _, name := range keep.Elements() {
		if !isScalar(name) {
			return doc.Value{}, malformedRetainKeys()
		}
		if name.Kind() == doc.String {
			kept[name.Text()] = true
		}
	}
	for name, value := range patch.Members() {
		switch {
		case kept[name], value.IsNull(), name == retainDirective:
		case strings.HasPrefix(name, deleteDirective), strings.HasPrefix(name, orderDirective):
		default:
			return doc.Value{}, malformedRetainKeys()
		}
	}
	return target.Rewrite(func(_ int, name string, value doc.Value) doc.Value {
		if kept[name] {
			return value
		}
		return doc.Value{}
	}), nil
}

// mergeMember returns the new value of one member of a map, absent if the patch removes it. A deletion adds nothing.
func mergeMember(old, value doc.Value, name string, s *schema.Schema, deletion bool) (doc.Value, error) {
	switch {
	case value.IsNull():
		return doc.Value{}, nil
	case old.Kind() != value.Kind():
		if deletion {
			return old, nil
		}
		return adopt(value), nil
	case value.Kind() == doc.Map:
		f, err := fieldOf(s, name)
		if err != nil || f.strategy == strategyReplace {
			return value, err
		}
		return mergeMap(old, value, f.schema)
	case value.Kind() == doc.List:
		f, err := listFieldOf(s, name)
		if err != nil {
			return doc.Value{}, err
		}
		merged, _, err := f.merge(old, value, deletion)
		return unlessSame(old, merged), err
	}
	return value, nil
}

// deleteScalars carries out the $deleteFromPrimitiveList directives.
func deleteScalars(target, patch doc.Value, s *schema.Schema) (doc.Value, error) {
	var changes []doc.Member
	for key, value := range patch.Members() {
		if !strings.HasPrefix(key, deleteDirective) {
			continue
		}
		name, ok := strings.CutPrefix(key, deleteDirective+"/")
		if !ok {
			return doc.Value{}, malformedDeletion()
		}
		if name == "" {
			continue
		}
		value, err := mergeMember(target.Get(name), value, name, s, true)
		if err != nil {
			return doc.Value{}, err
		}
		changes = append(changes, doc.Member{Key: name, Value: value})
	}
	return target.WithAll(changes), nil
}

// adopt returns a value that the patch adds, without its null members and without the maps that hold a $patch.
func adopt(v doc.Value) doc.Value {
	if what := v.Get(directive); !what.IsAbsent() && !what.IsNull() {
		return doc.Value{}
	}
	return v.Rewrite(func(_ int, _ string, value doc.Value) doc.Value {
		if value.IsNull() && v.Kind() == doc.Map {
			return doc.Value{}
		}
		return adopt(value)
	})
}

// withoutDirected returns a value without the maps that hold a $patch. It keeps null members.
func withoutDirected(v doc.Value) doc.Value {
	if v.Has(directive) {
		return doc.Value{}
	}
	return v.Rewrite(func(_ int, _ string, value doc.Value) doc.Value { return withoutDirected(value) })
}

// isChanged reports whether changes, sorted by key, has a member of that name.
func isChanged(changes []doc.Member, name string) bool {
	_, found := slices.BinarySearchFunc(changes, name,
		func(m doc.Member, name string) int { return strings.Compare(m.Key, name) })
	return found
}

// unlessSame returns the new list, or the old one if the elements are the same, so that callers can compare cheaply.
func unlessSame(old, list doc.Value) doc.Value {
	if old.Kind() != list.Kind() || old.Len() != list.Len() {
		return list
	}
	for i, v := range list.Elements() {
		if v != old.At(i) {
			return list
		}
	}
	return old
}

func isScalar(v doc.Value) bool { return v.Kind() != doc.Map && v.Kind() != doc.List }
