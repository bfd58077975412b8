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

// any reports whether a condition holds for the schema or for one below it.
func (s *JSONSchemaProps) any(holds func(*JSONSchemaProps) bool) bool {
	if s == nil {
		return false
	}
	if holds(s) {
		return true
	}
	for _, below := range s.below() {
		if below.any(holds) {
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

// below returns the schemas directly below s, wherever they stand.
func (s *JSONSchemaProps) below() (all []*JSONSchemaProps) {
	if s.Items != nil {
		all = append(all, s.Items.Schema)
		all = append(all, pointers(s.Items.JSONSchemas)...)
	}
	all = append(all, pointers(s.AllOf)...)
	all = append(all, pointers(s.AnyOf)...)
	all = append(all, pointers(s.OneOf)...)
	all = append(all, s.Not)
	all = append(all, members(s.Properties)...)
	if s.AdditionalProperties != nil {
		all = append(all, s.AdditionalProperties.Schema)
	}
	all = append(all, members(s.PatternProperties)...)
	if s.AdditionalItems != nil {
		all = append(all, s.AdditionalItems.Schema)
	}
	return append(all, members(s.Definitions)...)
}

func pointers(list []JSONSchemaProps) (all []*JSONSchemaProps) {
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

func members(properties map[string]JSONSchemaProps) (all []*JSONSchemaProps) {
	for _, name := range names(properties) {
		s := properties[name]
		all = append(all, &s)
	}
	return all
}
