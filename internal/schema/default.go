package schema

import "github.com/decorum-go/decorum/internal/doc"

// Default sets absent values that have a default, at every depth, including list elements and map values (API conventions, Static
// Defaults). A default that is an object also gets the defaults below it.
//
// An explicit null stays if the schema is nullable. Otherwise it counts as absent and is replaced by the default or dropped, with two
// exceptions. In a list whose elements have no default it stays, and [Schema.CheckTypes] rejects it. In a map of a built-in kind it stays,
// and Go decodes it as a zero value. Default is idempotent, and returns a document that needs no default unchanged.
func (s *Schema) Default(v doc.Value) doc.Value {
	switch v.Kind() {
	case doc.Map:
		if s.Object == nil && s.Additional == nil {
			return v
		}
		b := s.beside()
		v = v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
			below := b.schema(key)
			switch {
			case below == nil:
				return child
			case below.dropsNull(child) && s.goType.nullElements && below.goType.bytes:
				return doc.Of("") // Go would write the null again, and a Protobuf store cannot represent it
			case below.dropsNull(child) && s.goType.nullElements && below.filled.IsAbsent():
				return child
			case below.dropsNull(child):
				return below.filled
			}
			return below.Default(child)
		})
		if s.Object != nil && s.Object.defaults > 0 {
			v = s.Object.fill(v)
		}
	case doc.List:
		if s.Items == nil {
			return v
		}
		return v.Rewrite(func(_ int, _ string, child doc.Value) doc.Value {
			if s.Items.dropsNull(child) {
				if s.Items.filled.IsAbsent() {
					return child
				}
				return s.Items.filled
			}
			return s.Items.Default(child)
		})
	}
	return v
}

// WithoutNulls drops each null whose schema neither allows it nor has a default, at every depth. It keeps the null elements of lists.
// [Schema.Default] does so too, and also sets defaults.
func (s *Schema) WithoutNulls(v doc.Value) doc.Value {
	switch v.Kind() {
	case doc.Map:
		if s.Object == nil && s.Additional == nil {
			return v
		}
		b := s.beside()
		return v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
			below := b.schema(key)
			switch {
			case below == nil:
				return child
			case below.dropsNull(child) && below.filled.IsAbsent():
				return doc.Value{}
			}
			return below.WithoutNulls(child)
		})
	case doc.List:
		if s.Items == nil {
			return v
		}
		return v.Rewrite(func(_ int, _ string, child doc.Value) doc.Value { return s.Items.WithoutNulls(child) })
	}
	return v
}

// fill adds all absent members that have a default, in one step.
func (o *Object) fill(v doc.Value) doc.Value {
	missing := 0
	for i := range o.Properties {
		if p := &o.Properties[i]; !p.Schema.filled.IsAbsent() && !v.Has(p.Name) {
			missing++
		}
	}
	if missing == 0 {
		return v
	}
	members := make([]doc.Member, 0, v.Len()+missing)
	next := 0
	for i := range o.Properties {
		p := &o.Properties[i]
		if p.Schema.filled.IsAbsent() || v.Has(p.Name) {
			continue
		}
		for ; next < v.Len() && v.KeyAt(next) < p.Name; next++ { // keeps the members sorted
			members = append(members, doc.Member{Key: v.KeyAt(next), Value: v.At(next)})
		}
		members = append(members, doc.Member{Key: p.Name, Value: p.Schema.filled})
	}
	for ; next < v.Len(); next++ {
		members = append(members, doc.Member{Key: v.KeyAt(next), Value: v.At(next)})
	}
	return doc.MapOf(members...)
}
