package schema

import (
	"strconv"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// fewElements is the largest number of elements that are compared pairwise. Longer lists use a map, so that the time
// does not grow with the square of their length.
const fewElements = 16

// notKeyed is the message for an element of a keyed list that is not an object.
const notKeyed = "must be an object for an array of list-type map"

// CheckRepeats returns errors for duplicate elements of sets and keyed lists, unless the old object had duplicates too.
// old is absent on creation. The path is the position of the document, nil for a whole object. CheckRepeats returns at
// most a hundred errors.
func (s *Schema) CheckRepeats(path *status.Path, v, old doc.Value) status.FieldErrors {
	w := repeats{findings{root: path}}
	w.value(s, v, &trail{})
	if len(w.errs) > 0 && len(s.CheckRepeats(path, old, doc.Value{})) > 0 {
		return nil
	}
	return w.errs
}

// repeats finds duplicate elements.
type repeats struct{ findings }

// tellsApart reports whether the list rejects duplicate elements.
func (s *Schema) tellsApart() bool {
	return !s.duplicates && (s.ListType == SetList || s.ListType == MapList)
}

func (w *repeats) value(s *Schema, v doc.Value, at *trail) {
	if !s.distinct {
		return
	}
	step := trail{up: at, index: member}
	switch v.Kind() {
	case doc.List:
		if s.tellsApart() {
			w.unique(s, v, at)
		}
		if s.Items == nil || !s.Items.distinct {
			return
		}
		for i := range v.Len() {
			step.index = i
			w.value(s.Items, v.At(i), &step)
		}
	case doc.Map:
		b := s.beside()
		for i := range b.properties {
			if p := &b.properties[i]; p.Schema.distinct && !p.unchecked {
				step.key = p.Name
				w.value(p.Schema, v.Get(p.Name), &step)
			}
		}
		if s.Additional == nil || !s.Additional.distinct {
			return
		}
		step.inMap = true
		for i := range v.Len() {
			if name := v.KeyAt(i); s.Property(name) == nil {
				step.key = name
				w.value(s.Additional, v.At(i), &step)
			}
		}
	}
}

// unique adds an error for each duplicate: in a set, a duplicate element; in a keyed list, duplicate keys. Like
// kube-apiserver, it reports a value once, however often it is repeated.
func (w *repeats) unique(s *Schema, v doc.Value, at *trail) {
	n := v.Len()
	if i := s.withoutKeys(v); i >= 0 {
		step := trail{up: at, index: i}
		w.add(status.InvalidField(step.belowKeys(w.root), plain(v.At(i)), notKeyed))
		return
	}
	if n <= fewElements {
		for i := 1; i < n; i++ {
			if s.countBefore(v, i) == 1 {
				w.duplicate(s, v.At(i), i, at)
			}
		}
		return
	}
	type seen struct {
		first int
		again bool
	}
	earlier := make(map[string]*seen, n)
	var key []byte
	for i := range n {
		key = s.appendIdentity(key[:0], v.At(i))
		e := earlier[string(key)]
		if e == nil || !s.same(v.At(i), v.At(e.first)) { // numbers beyond 64 bits may share an identity although they differ
			earlier[string(key)] = &seen{first: i}
			continue
		}
		if !e.again {
			w.duplicate(s, v.At(i), i, at)
		}
		e.again = true
	}
}

// withoutKeys returns the first element of a keyed list that cannot have keys, or -1.
func (s *Schema) withoutKeys(v doc.Value) int {
	if s.ListType == MapList {
		for i := range v.Len() {
			if kind := v.At(i).Kind(); kind != doc.Map && kind != doc.Null {
				return i
			}
		}
	}
	return -1
}

// countBefore counts how many elements before the one at i equal it.
func (s *Schema) countBefore(v doc.Value, i int) (n int) {
	for j := range i {
		if s.same(v.At(i), v.At(j)) {
			n++
		}
	}
	return n
}

func (w *repeats) duplicate(s *Schema, element doc.Value, i int, at *trail) {
	if w.full() {
		return
	}
	shown := element
	if s.ListType == MapList {
		shown = doc.MapOf()
		for _, k := range s.ListMapKeys {
			shown = shown.With(k, element.Get(k))
		}
	}
	step := trail{up: at, index: i}
	w.add(status.DuplicateField(step.belowKeys(w.root), plain(shown)))
}

// same reports whether two elements of the list have the same identity.
func (s *Schema) same(a, b doc.Value) bool {
	if s.ListType != MapList {
		return doc.Equal(a, b)
	}
	for _, k := range s.ListMapKeys {
		if !doc.Equal(a.Get(k), b.Get(k)) {
			return false
		}
	}
	return true
}

// Merges reports whether the elements of the list have identities, so that each of several clients may add its own: the
// list is a set, or keyed. s may be nil.
func (s *Schema) Merges() bool { return s != nil && (s.ListType == SetList || s.ListType == MapList) }

// Find returns the index of the first element of a list, from an index on, that has the same identity as element, or
// -1. The list must be one that [Schema.Merges].
func (s *Schema) Find(list, element doc.Value, from int) int {
	for i := from; i < list.Len(); i++ {
		if s.same(list.At(i), element) {
			return i
		}
	}
	return -1
}

// appendIdentity appends bytes that are equal for elements with the same identity. Different elements share them only
// if they differ in numbers beyond 64 bits.
func (s *Schema) appendIdentity(dst []byte, element doc.Value) []byte {
	if s.ListType != MapList {
		return appendIdentity(dst, element)
	}
	for _, k := range s.ListMapKeys {
		dst = appendIdentity(dst, element.Get(k))
	}
	return dst
}

// appendIdentity appends an encoding of a value. Equal values have equal encodings, and different values have different
// ones, except for numbers beyond 64 bits. Each part states its kind and length.
func appendIdentity(dst []byte, v doc.Value) []byte {
	dst = append(dst, byte(v.Kind()))
	text := v.Literal()
	switch v.Kind() {
	case doc.String:
		text = v.Text()
	case doc.Number:
		if i, ok := v.Int(); ok {
			return append(strconv.AppendInt(dst, i, 10), 0)
		}
		if f, ok := v.Float(); ok {
			return append(strconv.AppendFloat(dst, f, 'g', -1, 64), 0)
		}
	case doc.List, doc.Map:
		dst = strconv.AppendInt(dst, int64(v.Len()), 10)
		dst = append(dst, 0)
		for i := range v.Len() {
			if v.Kind() == doc.Map {
				dst = appendIdentity(dst, doc.Of(v.KeyAt(i)))
			}
			dst = appendIdentity(dst, v.At(i))
		}
		return dst
	}
	dst = strconv.AppendInt(dst, int64(len(text)), 10)
	dst = append(dst, 0)
	return append(dst, text...)
}
