package managed

import (
	"strings"

	"github.com/decorum-go/decorum/apimeta"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// fieldsOfNew returns the fieldsV1 of a new object: everything that the kind's empty object does not have. The result
// is that of a comparison of the two. It gives up, and returns false, if list elements repeat.
func (k *Kind) fieldsOfNew(obj doc.Value, part Part) (doc.Value, bool) {
	return k.fieldsWith(obj, part, (*tree).added)
}

// fieldsWith returns the fieldsV1 of what a writer of a part sets: the results of fields for the members of the object,
// and for those of metadata that the server does not own. fields receives the corresponding member of the kind's empty
// object as old.
func (k *Kind) fieldsWith(obj doc.Value, part Part,
	fields func(t *tree, s *schema.Schema, old, v doc.Value) (doc.Value, bool)) (doc.Value, bool) {
	t := treeOf(obj)
	for key, value := range obj.Members() {
		if key == "apiVersion" || key == "kind" || part.without(key) {
			continue
		}
		below, old := k.schema.Member(key), k.empty.Get(key)
		if key != "metadata" {
			given, ok := fields(t, below, old, value)
			if !ok {
				return doc.Value{}, false
			}
			t.push("f:", key, given)
			continue
		}
		start := len(t.members)
		for name, value := range value.Members() {
			if Unowned(name) {
				continue
			}
			given, ok := fields(t, memberOf(below, name), old.Get(name), value)
			if !ok {
				return doc.Value{}, false
			}
			t.push("f:", name, given)
		}
		t.push("f:", key, t.popField(start))
	}
	return t.pop(0), true
}

// tree builds a fieldsV1 from the bottom up.
type tree struct {
	size    int // about how many fields it has
	maps    doc.Builder
	keys    strings.Builder
	members []doc.Member // the members of the unfinished maps, the innermost last
}

// maxChunk limits how many fields of a tree share a piece of memory.
const maxChunk = 64

// treeOf returns a builder for the fieldsV1 of a document.
func treeOf(v doc.Value) *tree {
	t := &tree{size: sizeOf(v, maxChunk)}
	t.members = make([]doc.Member, 0, t.size)
	t.maps.Reset(t.size, false)
	return t
}

// sizeOf returns how many members and elements a document has, or limit.
func sizeOf(v doc.Value, limit int) int {
	n := v.Len()
	for i := 0; i < v.Len() && n < limit; i++ {
		n += sizeOf(v.At(i), limit-n)
	}
	return min(n, limit)
}

// push adds a member to the innermost map, unless fields is absent.
func (t *tree) push(prefix, name string, fields doc.Value) {
	if fields.IsAbsent() {
		return
	}
	if need := len(prefix) + len(name); t.keys.Cap()-t.keys.Len() < need {
		t.keys = strings.Builder{} // members refer to the old buffer, so it must not grow
		t.keys.Grow(max(need, 16*t.size))
	}
	start := t.keys.Len()
	t.keys.WriteString(prefix)
	t.keys.WriteString(name)
	t.members = append(t.members, doc.Member{Key: t.keys.String()[start:], Value: fields})
}

// pop finishes the innermost map, whose members begin at start.
func (t *tree) pop(start int) doc.Value {
	v, _ := t.maps.Map(t.members[start:])
	t.members = t.members[:start]
	return v
}

// popField is pop for a field. A map that holds only the dot means the same as an empty map, and a field without
// members is absent.
func (t *tree) popField(start int) doc.Value {
	switch {
	case len(t.members) == start:
		return doc.Value{}
	case len(t.members) == start+1 && t.members[start].Key == ".":
		t.members = t.members[:start]
		return doc.MapOf()
	}
	return t.pop(start)
}

// added returns the tree of what v has beyond old. It is absent if v adds nothing.
func (t *tree) added(s *schema.Schema, old, v doc.Value) (doc.Value, bool) {
	how := relation(s, v)
	if how == whole || v.Len() == 0 {
		if !old.IsAbsent() && doc.Equal(old, v) {
			return doc.Value{}, true
		}
		return doc.MapOf(), true
	}
	start := len(t.members)
	if old.IsAbsent() {
		t.push(".", "", doc.MapOf())
	}
	if how != byMember {
		if old.Len() > 0 || !t.addElements(s, how, v) {
			return doc.Value{}, false
		}
		return t.popField(start), true
	}
	for key, value := range v.Members() {
		fields, ok := t.added(memberOf(s, key), old.Get(key), value)
		if !ok {
			return doc.Value{}, false
		}
		t.push("f:", key, fields)
	}
	return t.popField(start), true
}

// addElements adds the elements of a new list that have owners of their own.
func (t *tree) addElements(s *schema.Schema, how relationship, list doc.Value) bool {
	if _, ok := namesOf(s, how, list); !ok {
		return false
	}
	for _, element := range list.Elements() {
		key, ok := elementKey(s, how, element)
		fields := doc.MapOf()
		if ok && how == byKey {
			fields, ok = t.added(s.Items, doc.Value{}, element)
		}
		if !ok {
			return false
		}
		t.push(key, "", fields)
	}
	return true
}

// first returns the list of entries of an object with one writer.
func first(tree doc.Value, apiVersion string, by Writer) doc.Value {
	if tree.Len() == 0 {
		return doc.Value{}
	}
	id := identity{Manager: by.name(), Operation: string(apimeta.ManagedFieldsUpdate), Subresource: by.Subresource}
	return doc.ListOf(entry(id, apiVersion, by.Time, tree))
}
