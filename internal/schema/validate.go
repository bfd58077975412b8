package schema

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Validate refuses what breaks a rule of the schema: required members, enumerations, formats, bounds of numbers, strings,
// lists and maps, patterns, unions, and elements that occur twice in a set or a keyed list (API conventions, Validation).
// Values of a wrong type are passed over: they are [Schema.CheckTypes]' concern, as is object metadata of its own rules.
// The path is where the document stands; nil for a whole object. At most a hundred errors are returned.
func (s *Schema) Validate(path *status.Path, v doc.Value) status.FieldErrors {
	w := validator{root: path}
	w.value(s, v, doc.Value{}, &trail{})
	return w.errs
}

// ValidateUpdate is Validate for an object that replaces another, and refuses changes of immutable fields. What breaks a
// rule but is as it was before is let through, so that a rule that came later does not stand in the way of other changes:
// a value that equals the one in the same place of the old object, in a keyed list the one of the same key; and all
// duplicates where the old object has some. Immutable fields are compared in the same places; an element or member that is
// new may hold what it likes, and one that goes takes its fields along. Elements of other lists have no identity and are
// not told apart. Nor does a struct's coming or going excuse its immutable fields.
func (s *Schema) ValidateUpdate(path *status.Path, next, old doc.Value) status.FieldErrors {
	errs := s.Validate(path, next)
	if len(errs) > 0 {
		errs = s.ratchet(path, next, old)
	}
	w := updateValidator{root: path}
	w.value(s, next, old, &trail{})
	return append(errs, w.errs...)
}

// ratchet validates once more what broke a rule, beside what there was.
func (s *Schema) ratchet(path *status.Path, next, old doc.Value) status.FieldErrors {
	w := validator{root: path, repeats: slices.ContainsFunc(s.Validate(path, old), isRepetition)}
	w.value(s, next, old, &trail{})
	return w.errs
}

func isRepetition(e *status.FieldError) bool {
	return e.Type == status.CauseDuplicate || e.Detail == notKeyed
}

type validator struct {
	root    *status.Path
	repeats bool // duplicates are let through
	depth   int
	findings
}

// maxRatchetDepth is how deep a document is compared with what there was: each level is compared with all that is below it.
const maxRatchetDepth = 64

// value validates what stands in one place. old is what stood there, absent where there was nothing or it cannot be told.
func (w *validator) value(s *Schema, v, old doc.Value, at *trail) {
	if v.IsAbsent() || w.full() || !old.IsAbsent() && w.depth < maxRatchetDepth && doc.Equal(v, old) {
		return
	}
	w.depth++
	if len(s.Enum) > 0 {
		w.enum(s, v, at)
	}
	switch v.Kind() {
	case doc.String:
		w.text(s, v.Text(), at)
	case doc.Number:
		w.number(s, v, at)
	case doc.List:
		w.list(s, v, old, at)
	case doc.Map:
		w.object(s, v, old, at)
	}
	w.depth--
}

func (w *validator) enum(s *Schema, v doc.Value, at *trail) {
	for _, allowed := range s.Enum {
		if doc.Equal(v, allowed) {
			return
		}
	}
	allowed := make([]string, 0, len(s.Enum))
	for _, e := range s.Enum {
		if e.Kind() == doc.String {
			allowed = append(allowed, e.Text())
		} else {
			allowed = append(allowed, string(codec.AppendJSON(nil, e)))
		}
	}
	w.add(status.UnsupportedValue(at.below(w.root), plain(v), allowed))
}

func (w *validator) text(s *Schema, text string, at *trail) {
	if s.Format != "" && !s.readByGo() && !s.wellFormed(text) {
		w.add(badType(at.below(w.root), text, s.Format, text))
	}
	if s.MaxLength != nil || s.MinLength != nil {
		n := int64(utf8.RuneCountInString(text))
		if s.MaxLength != nil && n > *s.MaxLength {
			w.add(status.TooLongField(at.below(w.root), text, int(*s.MaxLength)))
			return // of several faults of one text upstream names the first
		}
		if s.MinLength != nil && n < *s.MinLength {
			w.invalid(at, text, "should be at least %d chars long", *s.MinLength)
			return
		}
	}
	if s.Pattern != nil && !s.Pattern.MatchString(text) {
		w.invalid(at, text, "should match '%s'", s.Pattern)
	}
}

func (w *validator) number(s *Schema, v doc.Value, at *trail) {
	if !s.Minimum.IsAbsent() {
		switch c := compareNumbers(v, s.Minimum); {
		case s.ExclusiveMinimum && c <= 0:
			w.invalid(at, plain(v), "should be greater than %s", s.Minimum.Literal())
		case c < 0:
			w.invalid(at, plain(v), "should be greater than or equal to %s", s.Minimum.Literal())
		}
	}
	if !s.Maximum.IsAbsent() {
		switch c := compareNumbers(v, s.Maximum); {
		case s.ExclusiveMaximum && c >= 0:
			w.invalid(at, plain(v), "should be less than %s", s.Maximum.Literal())
		case c > 0:
			w.invalid(at, plain(v), "should be less than or equal to %s", s.Maximum.Literal())
		}
	}
}

func (w *validator) list(s *Schema, v, old doc.Value, at *trail) {
	n := int64(v.Len())
	if s.MaxItems != nil && n > *s.MaxItems {
		w.add(status.TooManyField(at.below(w.root), int(n), int(*s.MaxItems)))
	}
	if s.MinItems != nil && n < *s.MinItems {
		w.invalid(at, n, "should have at least %d items", *s.MinItems)
	}
	if !w.repeats && !s.duplicates && (s.ListType == SetList || s.ListType == MapList) {
		w.unique(s, v, at)
	}
	if s.Items == nil {
		return
	}
	before := s.correlate(old)
	step := trail{up: at}
	for i := range v.Len() {
		if v.At(i).IsNull() && s.goType.nullElements {
			continue
		}
		step.index = i
		w.value(s.Items, v.At(i), before(v.At(i)), &step)
	}
}

// correlate returns how to find an element in the list as it was: by its keys where it has them all, or not at all.
func (s *Schema) correlate(old doc.Value) func(element doc.Value) doc.Value {
	if s.ListType != MapList || old.Len() == 0 || old.Kind() != doc.List {
		return func(doc.Value) doc.Value { return doc.Value{} }
	}
	before := s.index(old)
	return func(element doc.Value) doc.Value {
		for _, key := range s.ListMapKeys {
			if !element.Has(key) {
				return doc.Value{}
			}
		}
		if j, found := before[string(s.appendIdentity(nil, element))]; found {
			return old.At(j)
		}
		return doc.Value{}
	}
}

func (w *validator) object(s *Schema, v, old doc.Value, at *trail) {
	n := int64(v.Len())
	if s.MaxProperties != nil && n > *s.MaxProperties {
		w.add(status.TooManyField(at.below(w.root), int(n), int(*s.MaxProperties)))
	}
	if s.MinProperties != nil && n < *s.MinProperties {
		w.invalid(at, n, "should have at least %d properties", *s.MinProperties)
	}
	if s.Object == nil && s.Additional == nil {
		return
	}
	if s.Object != nil && s.Object.required > 0 {
		w.required(s.Object, v, at)
	}
	step := trail{up: at, index: member}
	b := s.beside()
	for i := range v.Len() {
		step.key = v.KeyAt(i)
		below := s.Additional
		step.inMap = true
		if p := b.property(step.key); p != nil {
			step.inMap = false
			if below = p.Schema; p.unchecked {
				continue
			}
		}
		if below != nil && !below.dropsNull(v.At(i)) {
			w.value(below, v.At(i), old.Get(step.key), &step)
		}
	}
	if s.Object != nil {
		for i := range s.Object.unions {
			w.union(&s.Object.unions[i], v, old, at)
		}
	}
}

func (w *validator) required(o *Object, v doc.Value, at *trail) {
	step := trail{up: at, index: member}
	for i := range o.Properties {
		p := &o.Properties[i]
		if !p.Required || w.full() {
			continue
		}
		if child := v.Get(p.Name); child.IsAbsent() || p.Schema.dropsNull(child) {
			step.key = p.Name
			w.add(status.RequiredField(step.below(w.root), ""))
		}
	}
}

func (w *validator) invalid(at *trail, value any, rule string, bound any) {
	if w.full() {
		return
	}
	path := at.below(w.root)
	w.add(status.InvalidField(path, value, fmt.Sprintf("%s in body "+rule, path, bound)))
}
