package managed

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// fieldsOfNew returns the fieldsV1 of a new object: everything that the kind's empty object does not have. It is what a
// comparison of the two would find, without one. It gives up, and returns false, where list elements repeat.
func (k *Kind) fieldsOfNew(obj doc.Value, part Part) (doc.Value, bool) {
	t := tree{}
	t.maps.Reset(nodesOfTree, nodesOfTree, false)
	for key, value := range obj.Members() {
		if key == "apiVersion" || key == "kind" || key == "status" && part == Main {
			continue
		}
		below, old := k.schema.Member(key), k.empty.Get(key)
		var fields doc.Value
		ok := true
		if key == "metadata" {
			fields, ok = t.ofMetadata(below, old, value)
		} else {
			fields, ok = t.added(below, old, value)
		}
		if !ok {
			return doc.Value{}, false
		}
		t.push("f:", key, fields)
	}
	return t.pop(0), true
}

// nodesOfTree is about how many fields an object has, for the memory of its tree.
const nodesOfTree = 64

// tree builds a fieldsV1 from the bottom up.
type tree struct {
	maps    doc.Builder
	keys    strings.Builder
	members []doc.Member // of the maps that are not finished, the innermost last
}

// push adds a member to the innermost map, unless there is nothing in it.
func (t *tree) push(prefix, name string, fields doc.Value) {
	if fields.IsAbsent() {
		return
	}
	if need := len(prefix) + len(name); t.keys.Cap()-t.keys.Len() < need {
		t.keys = strings.Builder{} // what was written is in use, and stays where it is
		t.keys.Grow(max(need, 16*nodesOfTree))
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

// popField is pop for a field: the dot alone says no more than an empty map, and nothing is nothing.
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

func (t *tree) ofMetadata(s *schema.Schema, old, metadata doc.Value) (doc.Value, bool) {
	start := len(t.members)
	for key, value := range metadata.Members() {
		if slices.Contains(systemFields[:], key) {
			continue
		}
		fields, ok := t.added(memberOf(s, key), old.Get(key), value)
		if !ok {
			return doc.Value{}, false
		}
		t.push("f:", key, fields)
	}
	return t.popField(start), true
}

// added returns the tree of what v has and old has not; absent where there is nothing.
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
	start := len(t.members)
	for _, element := range list.Elements() {
		key, ok := elementKey(s, how, element)
		if !ok || list.Len() <= fewElements && slices.ContainsFunc(t.members[start:], func(m doc.Member) bool { return m.Key == key }) {
			return false
		}
		fields := doc.MapOf()
		if how == byKey {
			if fields, ok = t.added(s.Items, doc.Value{}, element); !ok {
				return false
			}
		}
		t.push(key, "", fields)
	}
	return list.Len() <= fewElements || !repeats(t.members[start:])
}

// fewElements is up to which length a list is searched for repeated elements one by one.
const fewElements = 16

func repeats(members []doc.Member) bool {
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		if seen[m.Key] {
			return true
		}
		seen[m.Key] = true
	}
	return false
}

// relationship is how the parts of a value are owned.
type relationship int

const (
	whole    relationship = iota // all of it has one owner
	byMember                     // each member of a map has
	byValue                      // each element of a set has
	byKey                        // each element with its keys has
)

// relation returns how the parts of a value are owned that a schema describes; without a schema, each member of a map.
func relation(s *schema.Schema, v doc.Value) relationship {
	switch v.Kind() {
	case doc.Map:
		if s == nil || s.Type != schema.ArrayType && s.MapType != schema.AtomicMap {
			return byMember
		}
	case doc.List:
		switch {
		case s == nil || s.Type != schema.ArrayType:
		case s.ListType == schema.SetList:
			return byValue
		case s.ListType == schema.MapList:
			return byKey
		}
	}
	return whole
}

// memberOf returns the schema of a member, nil for one that no schema describes.
func memberOf(s *schema.Schema, key string) *schema.Schema {
	if s == nil {
		return nil
	}
	return s.Member(key)
}

// elementKey returns how a list element is named in a fieldsV1.
func elementKey(s *schema.Schema, how relationship, element doc.Value) (string, bool) {
	path := fieldpath.PathElement{}
	if how == byValue {
		if element.Kind() == doc.String && isPlainASCII(element.Text()) {
			return `v:"` + element.Text() + `"`, true
		}
		if k := element.Kind(); k == doc.Map || k == doc.List || k == doc.Null {
			return "", false
		}
		v := valueOf(element)
		path.Value = &v
	} else {
		if element.Kind() != doc.Map {
			return "", false
		}
		if len(s.ListMapKeys) == 1 {
			if v := element.Get(s.ListMapKeys[0]); v.Kind() == doc.String && isPlainASCII(v.Text()) {
				return `k:{"` + s.ListMapKeys[0] + `":"` + v.Text() + `"}`, true
			}
		}
		fields := keyFields(s, element)
		if len(fields) == 0 {
			return "", false
		}
		path.Key = &fields
	}
	key, err := fieldpath.SerializePathElement(path)
	return key, err == nil
}

// isPlainASCII reports whether JSON writes a string as it is, between quotes.
func isPlainASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) })
}

// keyFields returns the keys that tell a list element from the others. A key that the element does not have is its
// default.
func keyFields(s *schema.Schema, element doc.Value) value.FieldList {
	var fields value.FieldList
	for _, key := range s.ListMapKeys {
		v := element.Get(key)
		if p := s.Items.Property(key); v.IsAbsent() && p != nil {
			v = absentKey(p)
		}
		if !v.IsAbsent() {
			fields = append(fields, value.Field{Name: key, Value: valueOf(v)})
		}
	}
	fields.Sort()
	return fields
}

// first is the list of entries of an object with one writer.
func first(tree doc.Value, apiVersion string, by Writer) doc.Value {
	if tree.Len() == 0 {
		return doc.Value{}
	}
	id := identity{Manager: by.name(), Operation: string(apimeta.ManagedFieldsUpdate), Subresource: by.Subresource}
	return doc.ListOf(entry(id, apiVersion, by.Time, tree))
}
