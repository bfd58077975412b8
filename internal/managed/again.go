package managed

import (
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// appliedAgain reports whether a configuration asks for what the writer has applied before and what is still so, which is
// what controllers ask for most of the time. False may also mean that it is not worth finding out.
func (k *Kind) appliedAgain(live, config doc.Value, by Writer) bool {
	for _, e := range live.Lookup("metadata", "managedFields").Elements() {
		if e.Get(memberOperation).Text() != string(apimeta.ManagedFieldsApply) || e.Get(memberManager).Text() != by.name() ||
			e.Get(memberSubresource).Text() != by.Subresource {
			continue
		}
		if e.Get(memberAPIVersion).Text() != k.apiVersion || !holds(k.schema, live, config) {
			return false
		}
		fields, ok := k.fieldsOfConfiguration(config, by.Part)
		return ok && doc.Equal(fields, e.Get(memberFieldsV1))
	}
	return false
}

// mostCompared is up to which length lists are searched for the elements of a configuration, and managedFields for the
// owners of values.
const mostCompared = 64

// holds reports whether a value has all that a configuration asks for, with list elements in its order.
func holds(s *schema.Schema, live, config doc.Value) bool {
	how := relation(s, config)
	switch {
	case how == whole:
		return doc.Equal(live, config)
	case live.Kind() != config.Kind():
		return false
	case how == byMember:
		for key, value := range config.Members() {
			if !holds(memberOf(s, key), live.Get(key), value) {
				return false
			}
		}
		return true
	case live.Len() > mostCompared:
		return false
	}
	next := 0
	for _, wanted := range config.Elements() {
		found := -1
		for i, element := range live.Elements() {
			if !sameElement(s, how, element, wanted) {
				continue
			}
			if i < next || found >= 0 { // in another order, or twice
				return false
			}
			found = i
		}
		if found < 0 || how == byKey && !holds(s.Items, live.At(found), wanted) {
			return false
		}
		next = found + 1
	}
	return true
}

// sameElement reports whether two list elements are told apart by nothing.
func sameElement(s *schema.Schema, how relationship, a, b doc.Value) bool {
	if how == byValue {
		return doc.Equal(a, b)
	}
	for _, key := range s.ListMapKeys {
		x, y := a.Get(key), b.Get(key)
		if p := s.Items.Property(key); p != nil && (x.IsAbsent() || y.IsAbsent()) {
			if x.IsAbsent() {
				x = absentKey(p)
			}
			if y.IsAbsent() {
				y = absentKey(p)
			}
		}
		if !doc.Equal(x, y) {
			return false
		}
	}
	return true
}

// fieldsOfConfiguration returns the fieldsV1 of a configuration: its leaves, its list elements and the members of its
// maps, but no struct for the sake of what is in it. It gives up, and returns false, where list elements repeat.
func (k *Kind) fieldsOfConfiguration(config doc.Value, part Part) (doc.Value, bool) {
	t := tree{}
	t.maps.Reset(nodesOfTree, nodesOfTree, false)
	for key, value := range config.Members() {
		if key == "apiVersion" || key == "kind" || key == "status" && part == Main || key != "status" && part == Status {
			continue
		}
		below := k.schema.Member(key)
		var fields doc.Value
		ok := true
		if key == "metadata" {
			start := len(t.members)
			for name, value := range value.Members() {
				if !slices.Contains(systemFields[:], name) && ok {
					ok = t.pushListed(below, name, value)
				}
			}
			fields = t.popField(start)
		} else {
			fields, ok = t.listed(below, value, false)
		}
		if !ok {
			return doc.Value{}, false
		}
		t.push("f:", key, fields)
	}
	return t.pop(0), true
}

// listed returns the tree of a value in a configuration; absent where there is nothing. With itself the value counts
// beside what is in it.
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
	first := len(t.members)
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
	if repeats(t.members[first:]) {
		return doc.Value{}, false
	}
	return t.popField(start), true
}

// pushListed adds a member of a map or struct.
func (t *tree) pushListed(s *schema.Schema, key string, value doc.Value) bool {
	fields, ok := t.listed(memberOf(s, key), value, s.Property(key) == nil)
	t.push("f:", key, fields)
	return ok
}
