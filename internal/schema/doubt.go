package schema

import (
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
)

// Field identifies a field of a Go struct, at whatever places in a document the struct occurs.
type Field struct{ field *shapeField }

// DoubtfulZeros returns the fields that are absent from v, the JSON of a Go value, although they may have been set to zero: Go omits their
// zero, and a default would then replace it. Each field is listed once.
func (w View) DoubtfulZeros(v doc.Value) []Field {
	d := &doubt{}
	merger{zeros: ZerosOverDefaults, doubt: d}.fresh(w.schema, w.shape, v)
	return d.found
}

// WithZeros returns v with zeros for those of the fields that Go has omitted and that a default would replace.
func (w View) WithZeros(v doc.Value, fields []Field) doc.Value {
	return merger{zeros: ZerosOverDefaults, doubt: &doubt{meant: fields}}.fresh(w.schema, w.shape, v)
}

// doubt selects among the zeros that Go has omitted.
type doubt struct{ found, meant []Field }

// means reports whether to write a zero, and remembers the field.
func (d *doubt) means(f *shapeField, zero doc.Value) bool {
	if d == nil {
		return true
	}
	if !slices.Contains(d.found, Field{f}) {
		d.found = append(d.found, Field{f})
	}
	return slices.Contains(d.meant, Field{f}) || f.isStruct() && zero.Len() > 0
}

// SharedZeros returns v, the JSON of a Go value, with the zeros that Go has omitted and that source has in the same places. It leaves out
// fields that have a default.
func (w View) SharedZeros(v, source doc.Value) doc.Value {
	return sharedZeros(w.schema, w.shape, v, source)
}

func sharedZeros(s *Schema, g *Shape, v, source doc.Value) doc.Value {
	if g = g.pointed(); g.isUnit() || v.Kind() != source.Kind() {
		return v
	}
	switch v.Kind() {
	case doc.Map:
		v = v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
			return sharedZeros(s.Member(key), g.member(key), child, source.Get(key))
		})
		return v.WithAll(g.leftOut(s, v, source))
	case doc.List:
		if v.Len() == source.Len() {
			return v.Rewrite(func(i int, _ string, child doc.Value) doc.Value {
				return sharedZeros(s.items(), g.element(), child, source.At(i))
			})
		}
	}
	return v
}

// leftOut returns the zeros of a struct that source has and v does not.
func (s *Shape) leftOut(of *Schema, v, source doc.Value) (zeros []doc.Member) {
	if s == nil {
		return nil
	}
	for i := range s.fields {
		f := &s.fields[i]
		there, below := source.Get(f.name), of.Member(f.name)
		if there.IsAbsent() || v.Has(f.name) || below == nil || !below.filled.IsAbsent() {
			continue
		}
		zero := f.zero()
		if f.isStruct() {
			zero = sharedZeros(below, f.shape, doc.MapOf(), there)
		}
		if !zero.IsAbsent() && doc.Equal(there, zero) {
			zeros = append(zeros, doc.Member{Key: f.name, Value: zero})
		}
	}
	return zeros
}
