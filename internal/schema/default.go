package schema

import (
	"math"

	"github.com/decorum-go/decorum/internal/doc"
)

// Default sets absent values that have a default, at every depth, including list elements and map values (API
// conventions, Static Defaults). A default that is an object also gets the defaults below it.
//
// An explicit null stays if the schema is nullable. Otherwise it counts as absent and is replaced by the default or
// dropped, with two exceptions. In a list whose elements have no default it stays, and [Schema.CheckTypes] rejects it.
// In a map of a built-in kind it stays, and Go decodes it as a zero value. Default is idempotent, and returns a
// document that needs no default unchanged.
func (s *Schema) Default(v doc.Value) doc.Value {
	full, _ := s.DefaultWithin(v, math.MaxInt)
	return full
}

// DefaultWithin does what [Schema.Default] does, unless the defaults take more than limit bytes of JSON. Then it stops
// and returns v unchanged, and false. Each element of a list gets the defaults of its members, so a short document can
// ask for a huge one.
func (s *Schema) DefaultWithin(v doc.Value, limit int) (doc.Value, bool) {
	d := defaulting{left: limit}
	full := d.value(s, v)
	if d.left < 0 {
		return v, false
	}
	return full, true
}

// defaulting sets the defaults of one document.
type defaulting struct{ left int } // how many bytes of JSON the defaults may still take; below 0, the result is dropped

// value returns v with its defaults.
func (d *defaulting) value(s *Schema, v doc.Value) doc.Value {
	if d.left < 0 {
		return v
	}
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
				return d.set(below)
			}
			return d.value(below, child)
		})
		if s.Object != nil && len(s.Object.defaults) > 0 {
			v = d.fill(s.Object, v)
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
				return d.set(s.Items)
			}
			return d.value(s.Items, child)
		})
	}
	return v
}

// set returns the default of a place, which may be absent, and counts it.
func (d *defaulting) set(s *Schema) doc.Value {
	d.left -= s.filledSize
	return s.filled
}

// WithoutNulls drops each null whose schema neither allows it nor has a default, at every depth. It keeps the null
// elements of lists. [Schema.Default] does so too, and also sets defaults.
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
func (d *defaulting) fill(o *Object, v doc.Value) doc.Value {
	missing := 0
	for _, i := range o.defaults {
		if p := &o.Properties[i]; !v.Has(p.Name) {
			missing++
			d.left -= len(p.Name) + len(`"":,`) + p.Schema.filledSize
		}
	}
	if missing == 0 || d.left < 0 {
		return v
	}
	members := make([]doc.Member, 0, v.Len()+missing)
	next := 0
	for _, i := range o.defaults {
		p := &o.Properties[i]
		if v.Has(p.Name) {
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

// maxFilled is the size limit of a default with the defaults below it, in bytes of JSON.
const maxFilled = 64 << 20

// fills makes v the value of an absent value. It returns false if v is too large.
func (s *Schema) fills(v doc.Value) bool {
	s.filled, s.filledSize = v, textSize(v, maxFilled)
	return s.filledSize <= maxFilled
}

// textSize returns how many bytes the JSON of v has, apart from escapes. It stops counting above limit.
func textSize(v doc.Value, limit int) int {
	size := len(v.Text()) + len(v.Literal()) + 2
	for i := 0; i < v.Len() && size <= limit; i++ {
		if v.Kind() == doc.Map {
			size += len(v.KeyAt(i)) + len(`"":`)
		}
		size += textSize(v.At(i), limit-size) + 1
	}
	return size
}
