package schema

import (
	"reflect"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// View shows documents of a schema through a Go type. A document can hold what the type cannot: a zero that a client sent in
// a field that Go leaves out, more digits than a float64 has, a time of another zone. [View.Merge] therefore brings only
// what has changed in the Go value back into the document.
//
// The typed clients and the hooks of a host share it. It needs no store.
type View struct {
	schema *Schema
	shape  *Shape
}

// NewView returns the view of documents through a Go type. The schema need not be derived from the type: a host may look at
// a part of an object only.
func NewView(s *Schema, t reflect.Type) View { return View{schema: s, shape: ShapeOf(t)} }

// IsOf reports whether the view is that of a type, or of what the type points to.
func (w View) IsOf(t reflect.Type) bool {
	return t == w.shape.typ || t.Kind() == reflect.Pointer && t.Elem() == w.shape.typ
}

// Holds reports whether the type shows a document as it is. See [Shape.Holds].
func (w View) Holds(v doc.Value) bool { return w.shape.Holds(v) }

// Member returns the view of the member of that name.
func (w View) Member(name string) View {
	return View{schema: w.schema.Member(name), shape: w.shape.member(name)}
}

// Show returns a document as it is once the type has read and written it.
func (w View) Show(v doc.Value) (doc.Value, error) {
	if w.Holds(v) {
		return v, nil
	}
	value := reflect.New(w.shape.typ).Interface()
	if err := codec.ToGo(v, value); err != nil {
		return doc.Value{}, err
	}
	return codec.FromGo(value)
}

// Zeros decides about a field that is zero in the Go value, and that Go therefore leaves out of its JSON.
type Zeros int

const (
	// ZerosOfChanges writes a zero where the field had another value before. It is for hooks, which change an object in
	// place.
	ZerosOfChanges Zeros = iota
	// ZerosOverDefaults writes a zero where the field has a default other than zero, as the default would replace it
	// otherwise. It is for typed clients, which send whole objects.
	ZerosOverDefaults
)

// Merge returns v with all that differs between before, which is v as the type shows it, and after, which is the changed Go
// value. Whatever both have in common stays in v as it is. Elements of a list keep what the type does not show if they are
// found again: by their keys in a keyed list, as a whole in any other, and by their place in a list that is as long as it was.
func (w View) Merge(v, before, after doc.Value, zeros Zeros) doc.Value {
	merged, _ := merger{zeros: zeros, inPlace: true}.value(w.schema, w.shape, v, before, after)
	return merged
}

// Merge returns v with all that differs between before and after. Whatever both have in common stays in v as it is, also in
// elements of a list that are found again: by their keys in a keyed list, as a whole in any other. Before need not show all
// elements of a keyed list or a set in v: the others stay.
func (s *Schema) Merge(v, before, after doc.Value) doc.Value {
	merged, _ := merger{}.value(s, nil, v, before, after)
	return merged
}

// merger walks three documents and what the schema and the Go type say of them. Both may be nil where they say nothing.
type merger struct {
	zeros   Zeros
	inPlace bool   // a list shows its elements in their places, and one that is as long as it was may be told by them
	doubt   *doubt // nil: every zero is meant
}

// value returns v with what differs between before and after, and whether nothing does.
func (m merger) value(s *Schema, g *Shape, v, before, after doc.Value) (merged doc.Value, same bool) {
	if before == after {
		return v, true
	}
	g = g.pointed()
	switch {
	case g.isUnit():
	case g.keepsNames(v, before) && after.Kind() == doc.Map:
		return m.members(s, g, v, before, after)
	case v.Kind() == doc.List && before.Kind() == doc.List && after.Kind() == doc.List:
		return m.elements(s, g, v, before, after)
	}
	if doc.Equal(before, after) {
		return v, true
	}
	return m.fresh(s, g, after), false
}

func (m merger) members(s *Schema, g *Shape, v, before, after doc.Value) (merged doc.Value, same bool) {
	var changes []doc.Member
	same = true
	for i, j := 0, 0; i < before.Len() || j < after.Len(); {
		var key string
		if j == after.Len() || i < before.Len() && before.KeyAt(i) <= after.KeyAt(j) {
			key = before.KeyAt(i)
		} else {
			key = after.KeyAt(j)
		}
		was, is := doc.Value{}, doc.Value{}
		if i < before.Len() && before.KeyAt(i) == key {
			was = before.At(i)
			i++
		}
		if j < after.Len() && after.KeyAt(j) == key {
			is = after.At(j)
			j++
		}
		old := v.Get(key)
		if next, kept := m.member(s, g, key, old, was, is); !kept {
			changes, same = append(changes, doc.Member{Key: key, Value: next}), false
		}
	}
	return v.WithAll(changes), same
}

// member merges one member of a struct or map.
func (m merger) member(s *Schema, g *Shape, key string, v, before, after doc.Value) (merged doc.Value, same bool) {
	below := s.Member(key)
	if p := s.Property(key); p != nil && p.unchecked { // metadata has no zeros
		return m.value(below, nil, v, before, after)
	}
	f := g.field(key)
	if f == nil {
		return m.value(below, g.element(), v, before, after)
	}
	before, after = below.withoutNull(before), below.withoutNull(after)
	switch {
	case before.IsAbsent() && after.IsAbsent():
		return v, true
	case after.IsAbsent() && !f.isStruct():
		return m.zeroFor(below, f), false
	case after.IsAbsent():
		if merged, same = m.value(below, f.shape, v, before, doc.MapOf()); !same && merged.Len() == 0 {
			merged = doc.Value{}
		}
		return merged, same
	case before.IsAbsent() && f.isStruct() && v.Kind() == doc.Map:
		before = doc.MapOf()
	}
	return m.value(below, f.shape, v, before, after)
}

// withoutNull turns a null that counts as absent into an absent value.
func (s *Schema) withoutNull(v doc.Value) doc.Value {
	if s.dropsNull(v) {
		return doc.Value{}
	}
	return v
}

// zeroFor is what to write of a field whose value has become zero. It is absent if the field is to be left out: a list or map
// that is nil, and a zero that breaks the rules of the field, are no values to keep.
func (m merger) zeroFor(s *Schema, f *shapeField) doc.Value {
	zero := f.zero()
	if s.replaces(zero) || m.zeros == ZerosOfChanges && !f.shape.isCollection() && s.accepts(zero) {
		return zero
	}
	return doc.Value{}
}

// accepts reports whether a value follows the rules of its place.
func (s *Schema) accepts(v doc.Value) bool {
	return s == nil || len(s.CheckTypes(nil, v)) == 0 && len(s.Validate(nil, v)) == 0
}

// replaces reports whether a default would take the place of a zero that is left out. An immutable field keeps its value.
func (s *Schema) replaces(zero doc.Value) bool {
	return s != nil && !s.filled.IsAbsent() && !s.carried() && !doc.Equal(s.filled, zero)
}

// fresh returns a value for which the document has no older one.
func (m merger) fresh(s *Schema, g *Shape, v doc.Value) doc.Value {
	if g = g.pointed(); m.zeros != ZerosOverDefaults || g.isUnit() {
		return v
	}
	switch v.Kind() {
	case doc.Map:
		v = v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
			if f := g.field(key); f != nil {
				return m.fresh(s.Member(key), f.shape, child)
			}
			return m.fresh(s.Member(key), g.element(), child)
		})
		return m.withZeros(s, g, v)
	case doc.List:
		return v.Rewrite(func(_ int, _ string, child doc.Value) doc.Value { return m.fresh(s.items(), g.element(), child) })
	}
	return v
}

// withZeros adds the zeros to a new struct that defaults would replace.
func (m merger) withZeros(s *Schema, g *Shape, v doc.Value) doc.Value {
	if g == nil {
		return v
	}
	var zeros []doc.Member // sorted
	for i := range g.fields {
		f := &g.fields[i]
		below := s.Member(f.name)
		if below == nil || below.filled.IsAbsent() || !below.withoutNull(v.Get(f.name)).IsAbsent() {
			continue
		}
		zero := f.zero()
		if f.isStruct() {
			zero = m.fresh(below, f.shape, doc.MapOf())
		}
		if !zero.IsAbsent() && below.replaces(zero) && m.doubt.means(f, zero) {
			zeros = append(zeros, doc.Member{Key: f.name, Value: zero})
		}
	}
	return v.WithAll(zeros)
}

func (m merger) elements(s *Schema, g *Shape, v, before, after doc.Value) (merged doc.Value, same bool) {
	if doc.Equal(before, after) {
		return v, true
	}
	items, elem := s.items(), g.element()
	found := s.findAgain(before, after, m.inPlace)
	shows, unseen := m.places(s, v, before)
	out := make([]doc.Value, 0, after.Len())
	for j, is := range after.Elements() {
		next := doc.Value{}
		if i := found[j]; i >= 0 && shows[i] >= 0 {
			next, _ = m.value(items, elem, v.At(shows[i]), before.At(i), is)
		}
		if next.IsAbsent() {
			next = m.fresh(items, elem, is)
		}
		out = append(out, next)
	}
	return doc.ListOf(s.withUnseen(out, v, unseen)...), false
}

// places returns which element of v each element of before shows, or -1, and which elements of v no element shows.
func (m merger) places(s *Schema, v, before doc.Value) (shows, unseen []int) {
	shows = make([]int, before.Len())
	apart := s != nil && s.tellsApart()
	if m.inPlace || before.Len() == v.Len() && !(apart && s.ListType == MapList) {
		for i := range shows {
			if shows[i] = i; i >= v.Len() {
				shows[i] = -1
			}
		}
		for i := before.Len(); i < v.Len(); i++ { // what a Go array is too short for
			unseen = append(unseen, i)
		}
		return shows, unseen
	}
	var at map[string]int
	if apart {
		at = s.index(v)
	}
	shown := make([]bool, v.Len())
	for i, e := range before.Elements() {
		shows[i] = -1
		if place, found := at[string(s.appendElement(nil, e))]; found {
			shows[i], shown[place] = place, true
		}
	}
	if apart && before.Len() < v.Len() { // else they are shown under other keys
		for i := range shown {
			if !shown[i] {
				unseen = append(unseen, i)
			}
		}
	}
	return shows, unseen
}

// withUnseen adds the elements of v that were not shown, unless there are others of their identity.
func (s *Schema) withUnseen(out []doc.Value, v doc.Value, unseen []int) []doc.Value {
	var there map[string]int
	if len(unseen) > 0 && s != nil && s.tellsApart() {
		there = s.index(doc.ListOf(out...))
	}
	for _, i := range unseen {
		if _, found := there[string(s.appendElement(nil, v.At(i)))]; !found {
			out = append(out, v.At(i))
		}
	}
	return out
}

// findAgain returns for each element of a changed list which one it was, or -1.
func (s *Schema) findAgain(before, after doc.Value, inPlace bool) []int {
	places := make(map[string][]int, before.Len())
	var key []byte
	for i, e := range before.Elements() {
		key = s.appendElement(key[:0], e)
		places[string(key)] = append(places[string(key)], i)
	}
	found, taken := make([]int, after.Len()), make([]bool, before.Len())
	for j, e := range after.Elements() {
		found[j] = -1
		key = s.appendElement(key[:0], e)
		if same := places[string(key)]; len(same) > 0 {
			found[j], places[string(key)] = same[0], same[1:]
			taken[same[0]] = true
		}
	}
	if inPlace && before.Len() == after.Len() {
		for j := range found {
			if found[j] < 0 && !taken[j] {
				found[j] = j
			}
		}
	}
	return found
}

// appendElement is appendIdentity for a list that may have no schema.
func (s *Schema) appendElement(dst []byte, e doc.Value) []byte {
	if s == nil || e.Kind() != doc.Map {
		return appendIdentity(dst, e)
	}
	return s.appendIdentity(dst, e)
}

func (s *Schema) items() *Schema {
	if s == nil {
		return nil
	}
	return s.Items
}
