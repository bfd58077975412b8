package apiextensions

import (
	"maps"
	"reflect"
	"slices"
)

// sortedKeys returns the keys of a map with strings as keys, so that errors come in one order.
func sortedKeys(v reflect.Value) (keys []string) {
	for _, k := range v.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	return keys
}

// names returns the names of members in order.
func names[T any](members map[string]T) []string { return slices.Sorted(maps.Keys(members)) }

// any reports whether a condition holds for the schema or for a schema at any depth below it.
func (s *JSONSchemaProps) any(holds func(*JSONSchemaProps) bool) bool {
	if s == nil {
		return false
	}
	if holds(s) || s.anyOfLists(holds) || s.Not.any(holds) || anyMember(s.Properties, holds) {
		return true
	}
	for _, either := range []*JSONSchemaPropsOrBool{s.AdditionalProperties, s.AdditionalItems} {
		if either != nil && either.Schema.any(holds) {
			return true
		}
	}
	return anyMember(s.PatternProperties, holds) || anyMember(s.Definitions, holds)
}

// anyOfLists is any for the schemas of elements and of alternatives.
func (s *JSONSchemaProps) anyOfLists(holds func(*JSONSchemaProps) bool) bool {
	lists := [...][]JSONSchemaProps{nil, s.AllOf, s.AnyOf, s.OneOf}
	if s.Items != nil {
		if s.Items.Schema.any(holds) {
			return true
		}
		lists[0] = s.Items.JSONSchemas
	}
	for _, list := range lists {
		for i := range list {
			if list[i].any(holds) {
				return true
			}
		}
	}
	return false
}

// anyMember is any for members. Their copies share one place in memory, because a copy for each of them would cost more
// than the conditions.
func anyMember(members map[string]JSONSchemaProps, holds func(*JSONSchemaProps) bool) bool {
	if len(members) == 0 {
		return false
	}
	below := new(JSONSchemaProps)
	for _, name := range names(members) {
		if *below = members[name]; below.any(holds) {
			return true
		}
	}
	return false
}

// change calls f for the schema and for each one below it that a structural schema may have.
func (s *JSONSchemaProps) change(f func(*JSONSchemaProps)) {
	if s == nil {
		return
	}
	f(s)
	if s.Items != nil {
		s.Items.Schema.change(f)
	}
	if s.AdditionalProperties != nil {
		s.AdditionalProperties.Schema.change(f)
	}
	for name, below := range s.Properties {
		below.change(f)
		s.Properties[name] = below
	}
	s.Not.change(f)
	for _, alternatives := range [][]JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range alternatives {
			alternatives[i].change(f)
		}
	}
}
