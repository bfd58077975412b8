package schema

import "github.com/decorum-go/decorum/internal/doc"

// SharedZeros returns v, the JSON of a Go value, with the zeros that Go has omitted and that source has in the same
// places. It leaves out fields that have a default.
func (w View) SharedZeros(v, source doc.Value) doc.Value {
	return omitted{same: true}.zeros(w.schema, w.shape, v, source)
}

// ZerosBeside returns v, the JSON of a Go value, with zeros for the fields that Go has omitted and that beside has,
// with whatever value. It leaves out fields that have a default, and fields whose rules forbid their zero.
func (w View) ZerosBeside(v, beside doc.Value) doc.Value {
	return omitted{}.zeros(w.schema, w.shape, v, beside)
}

// EmptyBeside is ZerosBeside for structs and maps alone, which it leaves empty.
func (w View) EmptyBeside(v, beside doc.Value) doc.Value {
	return omitted{empty: true}.zeros(w.schema, w.shape, v, beside)
}

// omitted adds zeros that Go has omitted.
type omitted struct {
	same  bool // the other document must have the same zero
	empty bool // restricts the search to empty structs and maps
}

// zeros walks v and the other document along the schema and the Go type.
func (o omitted) zeros(s *Schema, g *Shape, v, beside doc.Value) doc.Value {
	if g = g.pointed(); g.isUnit() || v.Kind() != beside.Kind() {
		return v
	}
	switch v.Kind() {
	case doc.Map:
		v = v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
			return o.zeros(s.Member(key), g.member(key), child, beside.Get(key))
		})
		return v.WithAll(o.leftOut(g, s, v, beside))
	case doc.List:
		if v.Len() == beside.Len() {
			return v.Rewrite(func(i int, _ string, child doc.Value) doc.Value {
				return o.zeros(s.items(), g.element(), child, beside.At(i))
			})
		}
	}
	return v
}

// leftOut returns the zeros of a struct that the other document has and v does not.
func (o omitted) leftOut(g *Shape, s *Schema, v, beside doc.Value) (zeros []doc.Member) {
	if g == nil {
		return nil
	}
	for i := range g.fields {
		f := &g.fields[i]
		there, below := beside.Get(f.name), s.Member(f.name)
		if there.IsAbsent() || v.Has(f.name) || below == nil || !below.filled.IsAbsent() {
			continue
		}
		zero := f.zero()
		if f.isStruct() {
			zero = o.zeros(below, f.shape, doc.MapOf(), there)
		}
		if !zero.IsAbsent() && o.wants(below, zero, there) {
			zeros = append(zeros, doc.Member{Key: f.name, Value: zero})
		}
	}
	return zeros
}

// wants reports whether to add the zero of a field that the other document has.
func (o omitted) wants(s *Schema, zero, there doc.Value) bool {
	if o.same {
		return doc.Equal(there, zero)
	}
	return s.accepts(zero) && (!o.empty || zero.Kind() == doc.Map)
}
