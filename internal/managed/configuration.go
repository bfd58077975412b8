package managed

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// fieldsOfConfiguration returns the fieldsV1 of a configuration: its leaves, its list elements and the members of its
// maps. A struct counts only by its leaves. It gives up, and returns false, if list elements repeat.
func (k *Kind) fieldsOfConfiguration(config doc.Value, part Part) (doc.Value, bool) {
	return k.fieldsWith(config, part,
		func(t *tree, s *schema.Schema, _, v doc.Value) (doc.Value, bool) { return t.listed(s, v, false) })
}

// listed returns the tree of a value in a configuration, or an absent value if the tree is empty. If itself is set,
// the value is a field beside its parts.
func (t *tree) listed(s *schema.Schema, v doc.Value, itself bool) (doc.Value, bool) {
	how := relation(s, v)
	if how == whole || how == byMember && v.Len() == 0 {
		return doc.MapOf(), true
	}
	start := len(t.members)
	if itself {
		t.push(".", "", doc.MapOf())
	}
	if how == byMember {
		for key, value := range v.Members() {
			if !t.pushListed(s, key, value) {
				return doc.Value{}, false
			}
		}
		return t.popField(start), true
	}
	if _, ok := namesOf(s, how, v); !ok {
		return doc.Value{}, false
	}
	for _, element := range v.Elements() {
		key, ok := elementKey(s, how, element)
		fields := doc.MapOf()
		if ok && how == byKey {
			fields, ok = t.listed(s.Items, element, true)
		}
		if !ok {
			return doc.Value{}, false
		}
		t.push(key, "", fields)
	}
	return t.popField(start), true
}

// pushListed adds a member of a map or struct.
func (t *tree) pushListed(s *schema.Schema, key string, value doc.Value) bool {
	fields, ok := t.listed(memberOf(s, key), value, s.Property(key) == nil)
	t.push("f:", key, fields)
	return ok
}
