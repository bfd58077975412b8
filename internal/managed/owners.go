package managed

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// mostCompared limits how many entries keptOwners and applyDirectly search for the owners of single values.
const mostCompared = 64

// keptOwners returns the entries after a write that changes no owner, because the writer's entry alone has the changed
// values. The entry's time moves if a value changed. For any other write it gives up and returns false.
func (k *Kind) keptOwners(old, obj, entries doc.Value, by Writer) (doc.Value, bool) {
	if entries.Len() > mostCompared { // it looks up each changed value in all of them
		return doc.Value{}, false
	}
	id := k.updateOf(by)
	mine, updates := -1, 0
	for i, e := range entries.Elements() {
		update := e.Get(memberOperation).Text() == id.Operation
		if update {
			updates++
		}
		switch {
		case e.Get(memberAPIVersion).Text() != k.apiVersion, e.Get(memberFieldsType).Text() != fieldsV1:
			return doc.Value{}, false
		case update && e.Get(memberManager).Text() == id.Manager && e.Get(memberSubresource).Text() == id.Subresource:
			mine = i
		}
	}
	if mine < 0 || updates > maxUpdateManagers {
		return doc.Value{}, false
	}
	c := comparison{entries: entries, mine: mine}
	if !c.member(k.schema, old, obj) {
		return doc.Value{}, false
	}
	if !c.changed {
		return entries, true
	}
	list := make([]doc.Value, entries.Len())
	for i, e := range entries.Elements() {
		list[i] = e
	}
	list[mine] = list[mine].With(memberTime, text(by.Time))
	return sorted(list), true
}

// comparison walks two versions of an object side by side.
type comparison struct {
	entries doc.Value
	mine    int
	path    []step
	changed bool // a value differs
	steps   int  // steps taken to find the owners
}

// step is one element of the path to a value. It computes the name of a list element only on demand.
type step struct {
	field   string
	list    *schema.Schema
	element doc.Value
}

func (s step) key() (string, bool) {
	if s.list != nil {
		return elementKey(s.list, byKey, s.element)
	}
	return "f:" + s.field, true
}

// member compares the members of two maps. It returns false if the write changes more than values that the writer's
// entry alone has.
func (c *comparison) member(s *schema.Schema, old, v doc.Value) bool {
	if old.Len() != v.Len() {
		return false
	}
	for i := range v.Len() {
		key := v.KeyAt(i)
		if old.KeyAt(i) != key {
			return false
		}
		before, after := old.At(i), v.At(i)
		if before == after {
			continue
		}
		c.path = append(c.path, step{field: key})
		if !c.value(memberOf(s, key), before, after) {
			return false
		}
		c.path = c.path[:len(c.path)-1]
	}
	return true
}

func (c *comparison) value(s *schema.Schema, old, v doc.Value) bool {
	if old.Kind() != v.Kind() {
		return false
	}
	switch relation(s, v) {
	case byMember:
		return c.member(s, old, v)
	case byKey:
		return c.elements(s, old, v)
	case byValue:
		return doc.Equal(old, v)
	}
	if doc.Equal(old, v) {
		return true
	}
	c.changed = true
	return c.ownedByMeAlone()
}

// elements compares two lists whose elements have keys.
func (c *comparison) elements(s *schema.Schema, old, v doc.Value) bool {
	if old.Len() != v.Len() {
		return false
	}
	for i := range v.Len() {
		before, after := old.At(i), v.At(i)
		if before == after {
			continue
		}
		for _, key := range s.ListMapKeys {
			if !doc.Equal(before.Get(key), after.Get(key)) {
				return false
			}
		}
		c.path = append(c.path, step{list: s, element: after})
		if !c.value(s.Items, before, after) {
			return false
		}
		c.path = c.path[:len(c.path)-1]
	}
	return true
}

// ownedByMeAlone reports whether the writer's entry, and no other, owns the value at the path as a whole.
func (c *comparison) ownedByMeAlone() bool {
	if c.steps += len(c.path) * c.entries.Len(); c.steps > maxSteps {
		return false
	}
	for i, e := range c.entries.Elements() {
		tree := e.Get(memberFieldsV1)
		for _, s := range c.path {
			key, ok := s.key()
			if !ok {
				return false
			}
			tree = tree.Get(key)
		}
		if i == c.mine {
			if tree.Kind() != doc.Map || tree.Len() > 0 {
				return false
			}
		} else if !tree.IsAbsent() {
			return false
		}
	}
	return true
}
