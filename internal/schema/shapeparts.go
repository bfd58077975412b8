package schema

import (
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// What a merge asks of a shape. A shape that is nil knows nothing of a type.

// pointed returns the shape behind pointers.
func (s *Shape) pointed() *Shape {
	for s != nil && s.typ.Kind() == reflect.Pointer && !s.own {
		s = s.elem
	}
	return s
}

// isUnit reports whether the value changes as a whole, because the type encodes itself.
func (s *Shape) isUnit() bool { return s != nil && s.own }

// element is the shape of the elements of a list, or of the values of a map.
func (s *Shape) element() *Shape {
	if s == nil {
		return nil
	}
	return s.elem
}

// member is the shape of a field of a struct, or of the values of a map.
func (s *Shape) member(name string) *Shape {
	if f := s.field(name); f != nil {
		return f.shape
	}
	return s.element()
}

func (s *Shape) field(name string) *shapeField {
	if s == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(s.fields, name, func(f shapeField, name string) int { return strings.Compare(f.name, name) })
	if !found {
		return nil
	}
	return &s.fields[i]
}

// keepsNames reports whether v and what the type writes of it are maps whose members have the same names. The keys of a Go
// map may be written in another way than they were sent.
func (s *Shape) keepsNames(v, written doc.Value) bool {
	if v.Kind() != doc.Map || written.Kind() != doc.Map {
		return false
	}
	if s == nil || s.typ.Kind() != reflect.Map || s.kind == mapShape {
		return true
	}
	for i := range written.Len() {
		if !v.Has(written.KeyAt(i)) {
			return false
		}
	}
	return v.Len() == written.Len()
}

// isStruct reports whether the field holds a struct that is empty if none of its fields is set.
func (f *shapeField) isStruct() bool {
	return f.shape.typ.Kind() == reflect.Struct && !f.shape.own && !f.shape.tellsZero() && !f.behindPointer
}

// isCollection reports whether the type is a slice or a map that Go's own encoding writes.
func (s *Shape) isCollection() bool {
	kind := s.typ.Kind()
	return !s.own && s.kind != rawShape && (kind == reflect.Slice || kind == reflect.Map)
}

// zero is what a zero of the field is in a document. It is absent if the zero is null, as that of a pointer.
func (f *shapeField) zero() doc.Value {
	if f.behindPointer {
		return doc.Value{}
	}
	return f.shape.written()
}

// written is the zero value of the type as a document that holds it.
func (s *Shape) written() doc.Value {
	switch {
	case !s.isCollection():
	case s.typ.Kind() == reflect.Map:
		return doc.MapOf()
	case s.typ.Elem().Kind() == reflect.Uint8:
		return doc.Of("")
	default:
		return doc.ListOf()
	}
	zero, err := codec.FromGo(reflect.New(s.typ).Interface())
	if err != nil || zero.IsNull() {
		return doc.Value{}
	}
	return zero
}
