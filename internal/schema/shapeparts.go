package schema

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// The following methods answer the questions of a merge. A nil shape knows nothing of the type.

// pointed returns the shape behind pointers.
func (s *Shape) pointed() *Shape {
	for s != nil && s.typ.Kind() == reflect.Pointer && !s.own {
		s = s.elem
	}
	return s
}

// isUnit reports whether the value changes as a whole because the type encodes itself.
func (s *Shape) isUnit() bool { return s != nil && s.own }

// element returns the shape of the elements of a list, or of the values of a map.
func (s *Shape) element() *Shape {
	if s == nil {
		return nil
	}
	return s.elem
}

// member returns the shape of a struct field, or of the values of a map.
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
	i, found := slices.BinarySearchFunc(s.fields, name,
		func(f shapeField, name string) int { return strings.Compare(f.name, name) })
	if !found {
		return nil
	}
	return &s.fields[i]
}

// keepsNames reports whether v and the type's JSON of it are maps with the same member names. Go may write a map key
// differently from how it was sent.
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

// isCollection reports whether the type is a slice or a map with Go's standard encoding.
func (s *Shape) isCollection() bool {
	kind := s.typ.Kind()
	return !s.own && s.kind != rawShape && (kind == reflect.Slice || kind == reflect.Map)
}

// zero returns the zero value of the field in a document. It is absent if Go writes it as null, as for a pointer.
func (f *shapeField) zero() doc.Value {
	if f.behindPointer {
		return doc.Value{}
	}
	return f.shape.written()
}

// written returns the JSON of the type's zero value.
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

// documentShape is the shape of [apimeta.Document]. It describes only metadata; all other members change one by one.
// All kinds without a Go struct share it.
var documentShape = sync.OnceValue(func() *Shape {
	return &Shape{typ: reflect.TypeFor[apimeta.Document](),
		fields: []shapeField{{name: "metadata", shape: ShapeOf(reflect.TypeFor[apimeta.ObjectMeta]())}}}
})
