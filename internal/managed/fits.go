package managed

import (
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// fits reports whether structured-merge-diff would accept an object: its form is that of the schema, and it is not too
// large. A null fits everywhere except as a list element with a name. If once is set, the elements of a list must also
// be unique.
func (k *Kind) fits(obj doc.Value, once bool) bool {
	f := fitting{once: once, left: maxSteps}
	return f.value(k.schema, obj, 1)
}

type fitting struct {
	once bool
	left int // see longer
}

func (f *fitting) value(s *schema.Schema, v doc.Value, depth int) bool {
	if f.left -= depth; f.left < 0 || v.Len() > maxMembers {
		return false
	}
	if s == nil {
		return f.undescribed(v, depth)
	}
	if v.IsNull() {
		return true
	}
	switch s.Type {
	case schema.ObjectType:
		return v.Kind() == doc.Map && f.members(s, v, depth)
	case schema.ArrayType:
		return v.Kind() == doc.List && f.elements(s, v, depth)
	case schema.StringType:
		return v.Kind() == doc.String || s.Format != "" && s.Format != "byte" && isScalar(v)
	case schema.IntegerType, schema.NumberType:
		return v.Kind() == doc.Number
	case schema.BooleanType:
		return v.Kind() == doc.Bool
	}
	if len(s.OneOf) > 0 && !s.IntOrString && !slices.Contains(s.OneOf, schema.ObjectType) &&
		!slices.Contains(s.OneOf, schema.ArrayType) {
		return isScalar(v)
	}
	return f.undescribed(v, depth)
}

// undescribed counts the steps in a value without a schema, which may have any form.
func (f *fitting) undescribed(v doc.Value, depth int) bool {
	if v.Kind() != doc.Map {
		return true
	}
	for _, value := range v.Members() {
		if !f.value(nil, value, depth+1) {
			return false
		}
	}
	return true
}

func (f *fitting) members(s *schema.Schema, v doc.Value, depth int) bool {
	for i := range v.Len() {
		below := s.Member(v.KeyAt(i))
		if below == nil && s.Object != nil && !s.PreserveUnknown || !f.value(below, v.At(i), depth+1) {
			return false
		}
	}
	return true
}

func (f *fitting) elements(s *schema.Schema, v doc.Value, depth int) bool {
	how := relation(s, v)
	if how != whole {
		if v.Len() > maxElements {
			return false
		}
		if f.once {
			if _, ok := namesOf(s, how, v); !ok {
				return false
			}
		}
	}
	for i := range v.Len() {
		element := v.At(i)
		switch {
		case how == byValue && !isScalar(element), how == byKey && !isNamed(s, element), !f.value(s.Items, element, depth+1):
			return false
		}
	}
	return true
}

// isNamed reports whether a list element has a key that identifies it.
func isNamed(s *schema.Schema, element doc.Value) bool {
	return element.Kind() == doc.Map && slices.ContainsFunc(s.ListMapKeys, func(key string) bool {
		return !keyOf(s, element, key).IsAbsent()
	})
}
