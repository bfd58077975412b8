package schema

import (
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
)

// View shows documents of a schema as values of a Go type. A document can hold what the type cannot: a zero that a
// client sent in a field that Go omits, more digits than a float64 has, a time in another zone. Therefore [View.Merge]
// transfers only the changes of the Go value to the document.
//
// The typed clients and the hooks of a host use it. It needs no store.
type View struct {
	schema *Schema
	shape  *Shape
	types  *Types
}

// View returns the view of documents through a Go type. The schema need not be derived from the type, because a host
// may read only a part of an object.
func (m *Types) View(s *Schema, t reflect.Type) View {
	if t == reflect.TypeFor[apimeta.Document]() {
		return View{schema: s, shape: documentShape(), types: m}
	}
	return View{schema: s, shape: m.ShapeOf(t), types: m}
}

// IsOf reports whether the view shows a type, or the type that it points to.
func (w View) IsOf(t reflect.Type) bool {
	return t == w.shape.typ || t.Kind() == reflect.Pointer && t.Elem() == w.shape.typ
}

// Holds reports whether the type shows a document unchanged. See [Shape.Holds].
func (w View) Holds(v doc.Value) bool { return w.shape.Holds(v) }

// Member returns the view of the member with this name.
func (w View) Member(name string) View {
	return View{schema: w.schema.Member(name), shape: w.shape.member(name), types: w.types}
}

// Show returns the document that results from reading v into the type and writing it again.
func (w View) Show(v doc.Value) (doc.Value, error) {
	if w.Holds(v) {
		return v, nil
	}
	value, err := w.types.New(w.shape.typ, v)
	if err != nil {
		return doc.Value{}, err
	}
	return w.types.FromGo(value, v)
}

// Zeros says how Merge treats a field that is zero in the Go value, which Go therefore omits from its JSON.
type Zeros int

const (
	// ZerosOfChanges writes a zero if the field had another value before. It is for hooks, which change an object in
	// place.
	ZerosOfChanges Zeros = iota
	// ZerosOverDefaults writes a zero if the field has a default other than zero, which would otherwise replace it. It is
	// for typed clients, which send whole objects.
	ZerosOverDefaults
)

// Merge returns v with all changes between before and after. before must be v as the type shows it, and after is the
// changed Go value. Everything that both have in common stays in v unchanged. A list element keeps the parts that the
// type does not show if Merge can match it with its old state: by its keys in a keyed list, by its whole value in other
// lists, and by its index if the length of the list has not changed.
func (w View) Merge(v, before, after doc.Value, zeros Zeros) doc.Value {
	merged, _ := merger{zeros: zeros, inPlace: true}.value(w.schema, w.shape, v, before, after)
	return merged
}

// Merge returns v with all changes between before and after. Everything that both have in common stays in v unchanged,
// also in list elements that Merge can match: by their keys in a keyed list, by their whole value in other lists.
// before need not show all elements of a keyed list or set of v; Merge keeps the others.
func (s *Schema) Merge(v, before, after doc.Value) doc.Value {
	merged, _ := merger{}.value(s, nil, v, before, after)
	return merged
}

// merger walks three documents along the schema and the Go type. Either may be nil if it is unknown.
type merger struct {
	zeros   Zeros
	inPlace bool   // a list shows its elements at their indexes, so elements of a list of the same length match by index
	doubt   *doubt // nil means that every zero is deliberate
}

// value returns v with the changes between before and after, and whether there are none.
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

// members merges the members of a map or struct. It walks before and after side by side, so members that only v has
// stay.
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

// zeroFor returns what to write for a field whose value has become zero. It is absent if the field is to be omitted: a
// nil list or map, and a zero that breaks the field's rules, need not be kept.
func (m merger) zeroFor(s *Schema, f *shapeField) doc.Value {
	zero := f.zero()
	if s.replaces(zero) || m.zeros == ZerosOfChanges && !f.shape.isCollection() && s.accepts(zero) {
		return zero
	}
	return doc.Value{}
}

// accepts reports whether a value satisfies the rules of its place.
func (s *Schema) accepts(v doc.Value) bool {
	return s == nil || len(s.CheckTypes(nil, v)) == 0 && len(s.Validate(nil, v)) == 0
}

// replaces reports whether a default would replace a zero that is omitted. An immutable field keeps its old value
// instead.
func (s *Schema) replaces(zero doc.Value) bool {
	return s != nil && !s.filled.IsAbsent() && !s.carried() && !doc.Equal(s.filled, zero)
}

// fresh returns the document for a value that has no old state.
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

// withZeros adds to a new struct the zeros that defaults would replace.
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

// elements merges lists. after decides which elements there are and in which order; v contributes the parts of each
// element that before did not show.
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

// places returns for each element of before the index of the element of v that it shows, or -1, and the indexes of the
// elements of v that before does not show.
func (m merger) places(s *Schema, v, before doc.Value) (shows, unseen []int) {
	shows = make([]int, before.Len())
	apart := s != nil && s.tellsApart()
	if m.inPlace || before.Len() == v.Len() && !(apart && s.ListType == MapList) {
		for i := range shows {
			if shows[i] = i; i >= v.Len() {
				shows[i] = -1
			}
		}
		for i := before.Len(); i < v.Len(); i++ { // elements that do not fit in a Go array
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
	if apart && before.Len() < v.Len() { // otherwise before shows them under other keys
		for i := range shown {
			if !shown[i] {
				unseen = append(unseen, i)
			}
		}
	}
	return shows, unseen
}

// withUnseen adds the elements of v that before did not show, unless out has an element of the same identity.
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

// findAgain returns for each element of the changed list the index of its old state, or -1.
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
