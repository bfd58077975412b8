package schema

import (
	"strconv"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// fewElements is up to how many elements are compared with each other; more are counted in a map, so that the time grows
// with the list and not with its square.
const fewElements = 16

// notKeyed is what is wrong with an element of a keyed list that is no map.
const notKeyed = "must be an object for an array of list-type map"

// CheckRepeats refuses elements that stand twice in a set or a keyed list, unless something did so in the old object, which
// is absent where there is none. The path is where the document stands; nil for a whole object. At most a hundred errors are
// returned.
func (s *Schema) CheckRepeats(path *status.Path, v, old doc.Value) status.FieldErrors {
	w := repeats{findings{root: path}}
	w.value(s, v, &trail{})
	if len(w.errs) > 0 && len(s.CheckRepeats(path, old, doc.Value{})) > 0 {
		return nil
	}
	return w.errs
}

// repeats looks for elements that stand twice.
type repeats struct{ findings }

// tellsApart reports whether each element of such a list may stand there once only.
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

// unique refuses what stands twice: in a set an element as a whole, in a keyed list its keys. What stands there more often
// is named once, as upstream does.
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
		if e == nil || !s.same(v.At(i), v.At(e.first)) { // numbers beyond 64 bits may only look the same
			earlier[string(key)] = &seen{first: i}
			continue
		}
		if !e.again {
			w.duplicate(s, v.At(i), i, at)
		}
		e.again = true
	}
}

// withoutKeys finds the first element of a keyed list that cannot have keys, and -1 where there is none.
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

// countBefore counts the elements before the one at i that are the same.
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

// same reports whether two elements of the list are one.
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

// appendIdentity writes bytes that are equal for elements that are the same. Others may share them only where they differ
// in numbers beyond 64 bits.
func (s *Schema) appendIdentity(dst []byte, element doc.Value) []byte {
	if s.ListType != MapList {
		return appendIdentity(dst, element)
	}
	for _, k := range s.ListMapKeys {
		dst = appendIdentity(dst, element.Get(k))
	}
	return dst
}

// appendIdentity writes a value so that equal values give equal bytes, and others do not, but for numbers beyond 64 bits:
// each part says its kind and length.
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
