package schema

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// CheckFixed returns errors for changes of immutable fields. It compares each field with the same place of the old
// object, in a keyed list with the element of the same key. New elements and members may have any value, and removed
// ones may take their fields with them. But adding or removing a struct counts as a change of its immutable fields. The
// path is the position of the document, nil for a whole object. CheckFixed returns at most a hundred errors.
func (s *Schema) CheckFixed(path *status.Path, next, old doc.Value) status.FieldErrors {
	w := updateValidator{findings{root: path}}
	w.value(s, next, old, &trail{})
	return w.errs
}

// updateValidator finds changes of immutable fields.
type updateValidator struct{ findings }

func (w *updateValidator) value(s *Schema, next, old doc.Value, at *trail) {
	if !s.keeps || next == old || w.full() {
		return
	}
	if s.Immutable {
		if !doc.Equal(next, old) {
			w.add(status.InvalidField(at.below(w.root), plain(next), "field is immutable"))
		}
		return
	}
	if s.Object != nil {
		w.properties(s.Object, next, old, at)
	}
	if s.Additional != nil {
		w.values(s, next, old, at)
	}
	if s.ListType == MapList && next.Kind() == doc.List && old.Kind() == doc.List {
		w.elements(s, next, old, at)
	}
}

func (w *updateValidator) properties(o *Object, next, old doc.Value, at *trail) {
	step := trail{up: at, index: member}
	for i := range o.Properties {
		p := &o.Properties[i]
		step.key = p.Name
		w.value(p.Schema, next.Get(p.Name), old.Get(p.Name), &step)
	}
}

func (w *updateValidator) values(s *Schema, next, old doc.Value, at *trail) {
	step := trail{up: at, index: member}
	for i := range next.Len() {
		name := next.KeyAt(i)
		if before := old.Get(name); s.Property(name) == nil && !before.IsAbsent() {
			step.key = name
			w.value(s.Additional, next.At(i), before, &step)
		}
	}
}

func (w *updateValidator) elements(s *Schema, next, old doc.Value, at *trail) {
	step := trail{up: at}
	before := s.index(old)
	var key []byte
	for i := range next.Len() {
		key = s.appendIdentity(key[:0], next.At(i))
		if j, found := before[string(key)]; found {
			step.index = i
			w.value(s.Items, next.At(i), old.At(j), &step)
		}
	}
}

// index returns the position of each element of a keyed list by its identity.
func (s *Schema) index(list doc.Value) map[string]int {
	at := make(map[string]int, list.Len())
	for i := range list.Len() {
		at[string(s.appendIdentity(nil, list.At(i)))] = i
	}
	return at
}
