package schema

import (
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Validate refuses what breaks a rule of the schema: all that [Schema.CheckRules] and [Schema.CheckRepeats] do.
func (s *Schema) Validate(path *status.Path, v doc.Value) status.FieldErrors {
	return append(s.CheckRules(path, v, doc.Value{}), s.CheckRepeats(path, v, doc.Value{})...)
}

// CheckRules refuses what breaks a rule that is told from a value alone: required members, enumerations, formats, bounds of
// numbers, strings, lists and maps, patterns, unions (API conventions, Validation). Values of a wrong type are passed over:
// they are [Schema.CheckTypes]' concern, as is object metadata of its own rules. The path is where the document stands; nil
// for a whole object. At most a hundred errors are returned.
//
// What breaks a rule but is as it was in the old object is let through, so that a rule that came later does not stand in
// the way of other changes: a value that equals the one in the same place, in a keyed list the one of the same key. Elements
// of other lists have no identity and are not told apart. old is absent where there is none.
func (s *Schema) CheckRules(path *status.Path, v, old doc.Value) status.FieldErrors {
	w := validator{findings: findings{root: path}}
	w.value(s, v, doc.Value{}, &trail{})
	if len(w.errs) > 0 && !old.IsAbsent() { // to look beside everything costs more than it mostly brings
		w.findings = findings{root: path}
		w.value(s, v, old, &trail{})
	}
	return w.errs
}

// CheckTypesAndRules is [Schema.CheckTypes] and [Schema.CheckRules] in one walk, so that all that is wrong with a value
// stands together. What is of a wrong type is refused also where it was so before, and a null is a value.
func (s *Schema) CheckTypesAndRules(path *status.Path, v, old doc.Value) status.FieldErrors {
	w := validator{findings: findings{root: path}, types: true}
	w.value(s, v, old, &trail{})
	return w.errs
}

// validator looks for values that break a rule.
type validator struct {
	findings
	types bool // also for values of wrong types
	depth int
}

// maxRatchetDepth is how deep a document is compared with what there was: each level is compared with all that is below it.
const maxRatchetDepth = 64

// value validates what stands in one place. old is what stood there, absent where there was nothing or it cannot be told.
func (w *validator) value(s *Schema, v, old doc.Value, at *trail) {
	if v.IsAbsent() || w.full() {
		return
	}
	if !old.IsAbsent() && w.depth < maxRatchetDepth && doc.Equal(v, old) {
		if w.types {
			w.typesBelow(s, v, at)
		}
		return
	}
	w.depth++
	if w.types {
		w.fits(s, v, at)
	}
	switch v.Kind() {
	case doc.String:
		w.text(s, v.Text(), at)
	case doc.Number:
		w.number(s, v, at)
	case doc.List:
		w.list(s, v, old, at)
	}
	w.enumerated(s, v, at)
	if v.Kind() == doc.Map {
		w.object(s, v, old, at)
	}
	w.depth--
}

// typesBelow looks for values of wrong types only.
func (w *validator) typesBelow(s *Schema, v doc.Value, at *trail) {
	c := checker{w.findings}
	c.value(s, v, at)
	w.findings = c.findings
}

func (w *validator) text(s *Schema, text string, at *trail) {
	w.length(s, text, at)
	if s.Format != "" && !s.readByGo() && !s.wellFormed(text) {
		w.badType(at, text, s.Format, text)
	}
}

// length names the first that is wrong with the length and the pattern of a text, as upstream does.
func (w *validator) length(s *Schema, text string, at *trail) {
	if s.MaxLength != nil || s.MinLength != nil {
		n := int64(utf8.RuneCountInString(text))
		if s.MaxLength != nil && n > *s.MaxLength {
			w.add(status.TooLongField(at.below(w.root), text, int(*s.MaxLength)))
			return
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
	if !s.MultipleOf.IsAbsent() && !isMultiple(v, s.MultipleOf) {
		w.invalid(at, plain(v), "should be a multiple of %s", s.MultipleOf.Literal())
	}
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
	w.elements(s, v, old, at)
	n := int64(v.Len())
	if s.MinItems != nil && n < *s.MinItems {
		w.invalid(at, n, "should have at least %d items", *s.MinItems)
	}
	if s.MaxItems != nil && n > *s.MaxItems {
		w.add(status.TooManyField(at.below(w.root), int(n), int(*s.MaxItems)))
	}
}

func (w *validator) elements(s *Schema, v, old doc.Value, at *trail) {
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
	if s.MinProperties != nil && n < *s.MinProperties {
		w.invalid(at, n, "should have at least %d properties", *s.MinProperties)
	}
	if s.MaxProperties != nil && n > *s.MaxProperties {
		w.add(status.TooManyField(at.below(w.root), int(n), int(*s.MaxProperties)))
	}
	if s.Object == nil && s.Additional == nil {
		return
	}
	step := trail{up: at, index: member}
	b := s.beside()
	for i := range v.Len() {
		step.key = v.KeyAt(i)
		below := s.Additional
		if p := b.property(step.key); p != nil {
			if below = p.Schema; p.unchecked {
				continue
			}
		}
		if below != nil && (w.types || !below.dropsNull(v.At(i))) {
			w.value(below, v.At(i), old.Get(step.key), &step)
		}
	}
	if s.Object != nil {
		w.required(s.Object, v, at)
		for i := range s.Object.unions {
			w.union(&s.Object.unions[i], v, old, at)
		}
	}
}

// required names the members that are missing, in the order in which the struct declares them.
func (w *validator) required(o *Object, v doc.Value, at *trail) {
	step := trail{up: at, index: member}
	for _, i := range o.required {
		p := &o.Properties[i]
		if child := v.Get(p.Name); child.IsAbsent() || !w.types && p.Schema.dropsNull(child) {
			step.key = p.Name
			if !w.full() {
				w.add(status.RequiredField(step.below(w.root), ""))
			}
		}
	}
}
