package schema

import (
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
)

// Field is a field of a Go struct, wherever the struct stands in a document.
type Field struct{ field *shapeField }

// DoubtfulZeros returns the fields of which v, as Go writes it, does not tell whether they are zero or not set: Go leaves them
// out, and a default would replace them. Each field is named once.
func (w View) DoubtfulZeros(v doc.Value) []Field {
	d := &doubt{}
	merger{zeros: ZerosOverDefaults, doubt: d}.fresh(w.schema, w.shape, v)
	return d.found
}

// WithZeros returns v with zeros in those of these fields that Go has left out and that a default would replace.
func (w View) WithZeros(v doc.Value, fields []Field) doc.Value {
	return merger{zeros: ZerosOverDefaults, doubt: &doubt{meant: fields}}.fresh(w.schema, w.shape, v)
}

// doubt chooses among the zeros that Go has left out.
type doubt struct{ found, meant []Field }

// means reports whether a zero is to be written, and remembers the field.
func (d *doubt) means(f *shapeField, zero doc.Value) bool {
	if d == nil {
		return true
	}
	if !slices.Contains(d.found, Field{f}) {
		d.found = append(d.found, Field{f})
	}
	return slices.Contains(d.meant, Field{f}) || f.isStruct() && zero.Len() > 0
}

// SharedZeros returns v, as Go writes it, with the zeros that Go has left out and that source has in the same places, unless a
// field has a default.
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

// leftOut are the zeros in source that v, of the struct, does not have.
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
