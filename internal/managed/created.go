package managed

import (
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
	members := make([]doc.Member, 0, obj.Len())
	for key, value := range obj.Members() {
		if key == "apiVersion" || key == "kind" || key == "status" && part == Main {
			continue
		}
		below, old := k.schema.Member(key), k.empty.Get(key)
		var tree doc.Value
		ok := true
		if key == "metadata" {
			tree, ok = fieldsOfMetadata(below, old, value)
		} else {
			tree, ok = fieldsAdded(below, old, value)
		}
		if !ok {
			return doc.Value{}, false
		}
		if !tree.IsAbsent() {
			members = append(members, doc.Member{Key: "f:" + key, Value: tree})
		}
	}
	return doc.MapOf(members...), true
}

func fieldsOfMetadata(s *schema.Schema, old, metadata doc.Value) (doc.Value, bool) {
	tree, ok := fieldsAdded(s, old, metadata.Without(systemFields[:]...))
	tree = tree.Without(".")
	if tree.Len() == 0 {
		tree = doc.Value{}
	}
	return tree, ok
}

// fieldsAdded returns the tree of what v has and old has not; absent where there is nothing.
func fieldsAdded(s *schema.Schema, old, v doc.Value) (doc.Value, bool) {
	switch how := relation(s, v); {
	case how == whole || v.Len() == 0:
		if !old.IsAbsent() && doc.Equal(old, v) {
			return doc.Value{}, true
		}
		return doc.MapOf(), true
	case how == byMember:
		members := make([]doc.Member, 0, v.Len()+1)
		if old.IsAbsent() {
			members = append(members, doc.Member{Key: ".", Value: doc.MapOf()})
		}
		for key, value := range v.Members() {
			tree, ok := fieldsAdded(memberOf(s, key), old.Get(key), value)
			if !ok {
				return doc.Value{}, false
			}
			if !tree.IsAbsent() {
				members = append(members, doc.Member{Key: "f:" + key, Value: tree})
			}
		}
		return treeOf(members), true
	default:
		return fieldsOfElements(s, how, old, v)
	}
}

// fieldsOfElements is fieldsAdded for a list whose elements have owners of their own.
func fieldsOfElements(s *schema.Schema, how relationship, old, list doc.Value) (doc.Value, bool) {
	if old.Len() > 0 {
		return doc.Value{}, false
	}
	members := make([]doc.Member, 0, list.Len()+1)
	if old.IsAbsent() {
		members = append(members, doc.Member{Key: ".", Value: doc.MapOf()})
	}
	seen := make(map[string]bool, list.Len())
	for _, element := range list.Elements() {
		key, ok := elementKey(s, how, element)
		if !ok || seen[key] {
			return doc.Value{}, false
		}
		seen[key] = true
		tree := doc.MapOf()
		if how == byKey {
			if tree, ok = fieldsAdded(s.Items, doc.Value{}, element); !ok {
				return doc.Value{}, false
			}
		}
		members = append(members, doc.Member{Key: key, Value: tree})
	}
	return treeOf(members), true
}

// treeOf is the tree of these members. The dot alone says no more than an empty tree.
func treeOf(members []doc.Member) doc.Value {
	switch {
	case len(members) == 0:
		return doc.Value{}
	case len(members) == 1 && members[0].Key == ".":
		return doc.MapOf()
	}
	return doc.MapOf(members...)
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
