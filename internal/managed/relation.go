package managed

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// relationship is how the parts of a value are owned: as a whole, or each by owners of its own.
type relationship int

const (
	whole    relationship = iota // the whole value has one set of owners
	byMember                     // each member of a map has owners
	byValue                      // each element of a set has owners
	byKey                        // each element, identified by its keys, has owners
)

// relation returns how the parts of a value are owned. Without a schema, each member of a map has owners.
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

// memberOf returns the schema of a member, or nil if no schema describes it.
func memberOf(s *schema.Schema, key string) *schema.Schema {
	if s == nil {
		return nil
	}
	return s.Member(key)
}
