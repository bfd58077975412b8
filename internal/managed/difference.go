package managed

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// change holds the fields that a write changes, within the part that it can reach.
type change struct {
	given  *fieldpath.Set // fields with a new value
	all    *fieldpath.Set // those, and removed fields
	within reach
}

// changeOf returns the changes between two objects. It gives up, and returns false, if a list or map turns into another
// kind of value, or if list elements repeat.
func (k *Kind) changeOf(old, obj doc.Value, part Part) (change, bool) {
	d := difference{path: make(fieldpath.Path, 0, 16)}
	if !d.members(k.schema, old, obj, part.without) {
		return change{}, false
	}
	all := &d.given
	if !d.gone.Empty() {
		all = all.Union(&d.gone)
	}
	within, err := reachOf(all)
	return change{given: &d.given, all: all, within: within}, err == nil
}

// taken returns an entry without the changed fields. It is absent if no fields are left.
func (c change) taken(entry doc.Value) doc.Value {
	tree := entry.Get(memberFieldsV1)
	left := c.within.in(tree).without(tree)
	switch {
	case left == tree:
		return entry
	case left.Len() == 0:
		return doc.Value{}
	}
	return entry.With(memberFieldsV1, left)
}

// conflicts reports whether an entry has fields with a new value.
func (c change) conflicts(entry doc.Value) bool {
	tree := entry.Get(memberFieldsV1)
	return !c.within.in(tree).read(tree).Intersection(c.given).Empty()
}

// difference walks over two documents side by side, and skips equal parts.
type difference struct {
	given, gone fieldpath.Set
	path        fieldpath.Path
}

// without reports whether a write to the part cannot reach that member of an object.
func (p Part) without(member string) bool {
	switch p {
	case Main:
		return member == "status"
	case Status:
		return member != "status"
	case StatusAndMetadata:
		return member == "spec"
	}
	return false
}

// members compares the members of two maps, except those that skip accepts.
func (d *difference) members(s *schema.Schema, old, v doc.Value, skip func(key string) bool) bool {
	for i, j := 0, 0; i < old.Len() || j < v.Len(); {
		var key string
		var before, after doc.Value
		switch {
		case j == v.Len() || i < old.Len() && old.KeyAt(i) < v.KeyAt(j):
			key, before = old.KeyAt(i), old.At(i)
			i++
		case i == old.Len() || old.KeyAt(i) > v.KeyAt(j):
			key, after = v.KeyAt(j), v.At(j)
			j++
		default:
			key, before, after = old.KeyAt(i), old.At(i), v.At(j)
			i, j = i+1, j+1
		}
		if before == after || skip != nil && skip(key) {
			continue
		}
		name := key // a copy, so that only a difference allocates it
		d.path = append(d.path, fieldpath.PathElement{FieldName: &name})
		if !d.value(memberOf(s, key), before, after) {
			return false
		}
		d.path = d.path[:len(d.path)-1]
	}
	return true
}

// value compares the two values at the path. One of them may be absent.
func (d *difference) value(s *schema.Schema, old, v doc.Value) bool {
	switch {
	case old.IsAbsent():
		return d.all(s, v, &d.given)
	case v.IsAbsent():
		return d.all(s, old, &d.gone)
	case old.Kind() != v.Kind():
		d.given.Insert(d.path)
		return old.Len() == 0 && v.Len() == 0
	}
	switch how := relation(s, v); {
	case how == whole:
		if !doc.Equal(old, v) {
			d.given.Insert(d.path)
		}
		return true
	case how == byMember:
		return d.members(s, old, v, nil)
	default:
		return doc.Equal(old, v) || d.elements(s, how, old, v)
	}
}

// all inserts the path and all fields below it.
func (d *difference) all(s *schema.Schema, v doc.Value, into *fieldpath.Set) bool {
	switch how := relation(s, v); how {
	case whole:
	case byMember:
		for key, value := range v.Members() {
			d.path = append(d.path, fieldpath.PathElement{FieldName: &key})
			if !d.all(memberOf(s, key), value, into) {
				return false
			}
			d.path = d.path[:len(d.path)-1]
		}
	default:
		before, after := v, doc.Value{}
		if into == &d.given {
			before, after = after, before
		}
		if !d.elements(s, how, before, after) {
			return false
		}
	}
	into.Insert(d.path)
	return true
}

// elements compares two lists whose elements have owners of their own. One list may be absent.
func (d *difference) elements(s *schema.Schema, how relationship, old, v doc.Value) bool {
	before, ok := namesOf(s, how, old)
	if !ok {
		return false
	}
	after, ok := namesOf(s, how, v)
	if !ok {
		return false
	}
	now, then := positionsOf(after), positionsOf(before)
	for i, name := range before {
		next := doc.Value{}
		if j := now.of(name, i); j >= 0 {
			next = v.At(j)
		}
		if !d.element(s, how, old.At(i), next) {
			return false
		}
	}
	for j, name := range after {
		if then.of(name, j) < 0 && !d.element(s, how, doc.Value{}, v.At(j)) {
			return false
		}
	}
	return true
}

func (d *difference) element(s *schema.Schema, how relationship, old, v doc.Value) bool {
	if doc.Equal(old, v) {
		return true
	}
	named := v
	if v.IsAbsent() {
		named = old
	}
	element, ok := elementOf(s, how, named)
	if !ok {
		return false
	}
	d.path = append(d.path, element)
	ok = d.value(s.Items, old, v)
	d.path = d.path[:len(d.path)-1]
	return ok
}
