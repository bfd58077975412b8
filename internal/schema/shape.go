package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// Shape knows how Go writes the values of a type. With [Shape.Holds], a caller can skip decoding and encoding a
// document that is already as Go would write it.
type Shape struct {
	kind   shapeKind
	typ    reflect.Type
	fields []shapeField // the fields of a struct, sorted by name
	forms  []*Shape     // the forms of a union
	elem   *Shape       // the element of a list or a map, or what a pointer points to
	own    bool         // the type encodes itself, so its JSON is one unit
}

type shapeKind int

const (
	// opaqueShape is a type with an encoding of its own. Holds must decode and encode the value to decide.
	opaqueShape shapeKind = iota
	// unionShape is a type that encodes itself as one of its forms, see formTeller.
	unionShape
	rawShape // json.RawMessage keeps the JSON unchanged
	structShape
	listShape
	mapShape
	pointerShape
	stringShape
	boolShape
	integerShape
	floatShape
	timeShape // apimeta.Time, which occurs in every object
)

type shapeField struct {
	name                string
	shape               *Shape
	omitEmpty, omitZero bool
	behindPointer       bool
}

// ShapeOf returns the shape of a Go type for which [Derive] has succeeded.
func ShapeOf(t reflect.Type) *Shape { return new(Types).ShapeOf(t) }

// shapes are the known shapes. A recursive type points back to its own shape.
type shapes struct {
	types *Types
	known map[reflect.Type]*Shape
}

// of returns the shape of a type. It stores the shape before it looks at the parts, because a type may contain itself.
// The kind stays opaqueShape unless Holds can decide without decoding.
func (m shapes) of(t reflect.Type) *Shape {
	if s := m.known[t]; s != nil {
		return s
	}
	s := &Shape{typ: t}
	m.known[t] = s
	if t == reflect.TypeFor[json.RawMessage]() {
		s.kind = rawShape
		return s
	}
	if t == reflect.TypeFor[apimeta.Time]() {
		s.kind, s.own = timeShape, true
		return s
	}
	if m.types.of(t).ownEncoding {
		s.own = true
		if teller, ok := reflect.New(t).Interface().(formTeller); ok {
			s.kind = unionShape
			for _, form := range teller.JSONForms() {
				s.forms = append(s.forms, m.of(form))
			}
		}
		return s
	}
	switch t.Kind() {
	case reflect.String:
		s.kind = stringShape
	case reflect.Bool:
		s.kind = boolShape
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.kind = integerShape
	case reflect.Float32, reflect.Float64:
		s.kind = floatShape
	case reflect.Pointer:
		if s.elem = m.of(t.Elem()); t.Elem().Kind() != reflect.Pointer {
			s.kind = pointerShape
		}
	case reflect.Slice:
		if s.elem = m.of(t.Elem()); t.Elem().Kind() != reflect.Uint8 {
			s.kind = listShape
		}
	case reflect.Array:
		s.elem = m.of(t.Elem())
	case reflect.Map:
		if s.elem = m.of(t.Elem()); t.Key().Kind() == reflect.String && !m.types.of(t.Key()).ownEncoding {
			s.kind = mapShape
		}
	case reflect.Struct:
		m.ofStruct(s)
	}
	return s
}

func (m shapes) ofStruct(s *Shape) {
	of := m.types.of(s.typ)
	if of.fault != nil {
		return
	}
	plain := !s.tellsZero()
	s.fields = make([]shapeField, 0, len(of.fields))
	for _, f := range of.fields {
		plain = plain && !f.BehindPointer
		s.fields = append(s.fields, shapeField{
			name: f.Name, shape: m.of(f.Go.Type),
			omitEmpty: f.OmitEmpty, omitZero: f.OmitZero, behindPointer: f.BehindPointer,
		})
	}
	if plain {
		s.kind = structShape
	}
}

// formTeller is a type that is encoded as one of several other types, such as a schema or a boolean. If the shape of
// one of them holds a value other than an empty list, the type must decode the value and encode it without a change.
type formTeller interface{ JSONForms() []reflect.Type }

// tellsZero reports whether the type itself decides which of its values omitzero omits.
func (s *Shape) tellsZero() bool {
	return reflect.PointerTo(s.typ).Implements(reflect.TypeFor[zeroTeller]())
}

// zeroTeller is the method that encoding/json calls for omitzero.
type zeroTeller interface{ IsZero() bool }

// Holds reports whether Go, after reading the document into the type, would write the same document. It may also return
// false if deciding would cost too much.
func (s *Shape) Holds(v doc.Value) bool {
	switch s.kind {
	case unionShape:
		return s.holdsForm(v) || s.holdsOpaque(v)
	case rawShape:
		return true
	case structShape:
		return v.Kind() == doc.Map && s.holdsFields(v)
	case listShape:
		if v.Kind() != doc.List {
			return false
		}
		return s.holdsAll(v)
	case mapShape:
		return v.Kind() == doc.Map && s.holdsAll(v)
	case pointerShape:
		return !v.IsNull() && s.elem.Holds(v)
	case stringShape:
		return v.Kind() == doc.String
	case boolShape:
		return v.Kind() == doc.Bool
	case integerShape:
		return v.Kind() == doc.Number && !strings.ContainsAny(v.Literal(), ".eE") && v.Literal() != "-0"
	case floatShape:
		return s.holdsFloat(v)
	case timeShape:
		t, err := time.Parse(time.RFC3339, v.Text())
		return err == nil && !t.IsZero() && t.UTC().Format(time.RFC3339) == v.Text()
	}
	return s.holdsOpaque(v)
}

func (s *Shape) holdsAll(v doc.Value) bool {
	for i := range v.Len() {
		if !s.elem.Holds(v.At(i)) {
			return false
		}
	}
	return true
}

// holdsFields walks the members and the fields side by side. Both are sorted.
func (s *Shape) holdsFields(v doc.Value) bool {
	i := 0
	for j := range s.fields {
		f := &s.fields[j]
		if i < v.Len() && v.KeyAt(i) == f.name {
			if member := v.At(i); f.omits(member) || !f.shape.Holds(member) {
				return false
			}
			i++
		} else if !f.mayBeAbsent() {
			return false
		}
	}
	return i == v.Len() // otherwise a member has no field
}

// mayBeAbsent reports whether Go omits the zero value.
func (f *shapeField) mayBeAbsent() bool {
	if f.omitZero {
		return true
	}
	if !f.omitEmpty {
		return false
	}
	k := f.shape.typ.Kind()
	return k != reflect.Struct && k != reflect.Array
}

// omits reports whether Go would omit this value.
func (f *shapeField) omits(v doc.Value) bool {
	return f.omitEmpty && f.shape.empty(v) || f.omitZero && f.shape.zero(v)
}

// empty reports whether omitempty considers the value empty.
func (s *Shape) empty(v doc.Value) bool {
	switch s.typ.Kind() {
	case reflect.Slice, reflect.Map:
		if s.kind == rawShape {
			return false
		}
		return v.Len() == 0 && v.Text() == ""
	case reflect.Struct, reflect.Array, reflect.Pointer, reflect.Interface:
		return v.IsNull()
	}
	return s.zero(v)
}

// zero reports whether a value is the zero value of the type.
func (s *Shape) zero(v doc.Value) bool {
	switch s.kind {
	case stringShape:
		return v.Text() == ""
	case boolShape:
		return !v.Bool()
	case integerShape, floatShape:
		f, ok := v.Float()
		return !ok || f == 0
	case structShape:
		for i := range s.fields {
			if member := v.Get(s.fields[i].name); !member.IsAbsent() && !s.fields[i].shape.zero(member) {
				return false
			}
		}
		return true
	case opaqueShape, unionShape:
		return v.IsNull() || v.Kind() == doc.String && v.Text() == "" || v.Kind() == doc.Number && equalsZero(v)
	}
	return v.IsNull()
}

func equalsZero(v doc.Value) bool {
	f, ok := v.Float()
	return ok && f == 0
}

func (s *Shape) holdsFloat(v doc.Value) bool {
	if v.Kind() != doc.Number {
		return false
	}
	f, err := strconv.ParseFloat(v.Literal(), s.typ.Bits())
	if err != nil {
		return false
	}
	written, err := codec.FromGo(reflect.ValueOf(f).Convert(s.typ).Interface())
	return err == nil && written.Literal() == v.Literal()
}

func (s *Shape) holdsForm(v doc.Value) bool {
	return (v.Kind() != doc.List || v.Len() > 0) &&
		slices.ContainsFunc(s.forms, func(form *Shape) bool { return form.Holds(v) })
}

// holdsOpaque decodes the value into the type and encodes it again.
func (s *Shape) holdsOpaque(v doc.Value) bool {
	value := reflect.New(s.typ)
	if err := codec.ToGo(v, value.Interface()); err != nil {
		return false
	}
	written, err := codec.FromGo(value.Interface())
	return err == nil && same(written, v)
}

// same is doc.Equal, but also compares how numbers are written.
func same(a, b doc.Value) bool {
	if a.Kind() == doc.Number && b.Kind() == doc.Number {
		return a.Literal() == b.Literal()
	}
	if a.Kind() != b.Kind() || a.Len() != b.Len() || a.Len() == 0 {
		return doc.Equal(a, b)
	}
	for i := range a.Len() {
		if a.Kind() == doc.Map && a.KeyAt(i) != b.KeyAt(i) || !same(a.At(i), b.At(i)) {
			return false
		}
	}
	return true
}
