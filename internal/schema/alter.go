package schema

import "github.com/decorum-go/decorum/internal/doc"

// Alteration replaces zeros of a document by other values. A caller that converts the document before and after learns
// which fields of the result depend on these zeros.
type Alteration struct {
	// Kind selects the zeros: false, 0, "", or an empty list or map.
	Kind doc.Kind
	// From and To select among the zeros of this kind, in the order of the document. To is exclusive.
	From, To int

	found int
}

// Altered returns v with the selected zeros altered, and how many zeros of the kind there are. It skips metadata, and
// zeros that known has in the same places.
func (s *Schema) Altered(v, known doc.Value, a Alteration) (altered doc.Value, zeros int) {
	altered = v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
		if p := s.Property(key); p == nil || p.unchecked {
			return child
		}
		return a.value(s.Member(key), child, known.Get(key))
	})
	return altered, a.found
}

func (a *Alteration) value(s *Schema, v, known doc.Value) doc.Value {
	if v.Len() > 0 {
		return v.Rewrite(func(i int, key string, child doc.Value) doc.Value {
			if v.Kind() == doc.Map {
				return a.value(s.Member(key), child, known.Get(key))
			}
			there := doc.Value{}
			if known.Kind() == doc.List && known.Len() == v.Len() {
				there = known.At(i)
			}
			return a.value(s.items(), child, there)
		})
	}
	if v.Kind() != a.Kind || !isZero(v) || doc.Equal(v, known) {
		return v
	}
	a.found++
	if a.found <= a.From || a.found > a.To {
		return v
	}
	return s.other(v)
}

// isZero reports whether a value is false, 0, "", or an empty list or map.
func isZero(v doc.Value) bool {
	switch v.Kind() {
	case doc.Bool:
		return !v.Bool()
	case doc.Number:
		return equalsZero(v)
	case doc.String:
		return v.Text() == ""
	}
	return v.Len() == 0 && !v.IsNull() && !v.IsAbsent()
}

// alteredNumber fits into every integer type of Go, and a conversion to a unit ten times or a hundred times as large
// does not make it zero.
const alteredNumber = 100

// other returns a value other than the zero v that may stand in the same place.
func (s *Schema) other(v doc.Value) doc.Value {
	if s != nil {
		for _, allowed := range s.Constraints().Enum {
			if !isZero(allowed) {
				return allowed
			}
		}
	}
	switch v.Kind() {
	case doc.Bool:
		return doc.OfBool(true)
	case doc.Number:
		return doc.OfInt(alteredNumber)
	case doc.String:
		return doc.Of("x")
	case doc.List:
		return doc.ListOf(s.items().sample())
	}
	if s != nil && s.Object != nil {
		return doc.MapOf(s.samples()...)
	}
	return doc.MapOf(doc.Member{Key: "x", Value: s.Member("x").sample()})
}

// sample returns a value of the schema's type.
func (s *Schema) sample() doc.Value {
	if s == nil {
		return doc.Of("x")
	}
	switch s.Type {
	case BooleanType:
		return s.other(doc.OfBool(false))
	case IntegerType, NumberType:
		return s.other(doc.OfInt(0))
	case ObjectType:
		return doc.MapOf()
	case ArrayType:
		return doc.ListOf()
	}
	return s.other(doc.Of(""))
}

// samples returns values for the scalar members of a struct.
func (s *Schema) samples() (members []doc.Member) {
	for _, p := range s.Object.Properties {
		switch p.Schema.Type {
		case BooleanType, IntegerType, NumberType, StringType:
			members = append(members, doc.Member{Key: p.Name, Value: p.Schema.sample()})
		}
	}
	return members
}
