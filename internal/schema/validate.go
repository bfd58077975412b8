package schema

import (
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Validate runs [Schema.CheckRules] and [Schema.CheckRepeats] on a new object.
func (s *Schema) Validate(path *status.Path, v doc.Value) status.FieldErrors {
	return append(s.CheckRules(path, v, doc.Value{}), s.CheckRepeats(path, v, doc.Value{})...)
}

// CheckRules returns errors for violated rules that concern a value by itself: required members, enumerations, formats,
// bounds of numbers, strings, lists and maps, patterns, unions (API conventions, Validation). It ignores values of a
// wrong type, which [Schema.CheckTypes] reports, and object metadata, which has rules of its own. The path is the
// position of the document, nil for a whole object. CheckRules returns at most a hundred errors.
//
// If a value already broke a rule in the old object and the update does not change it, CheckRules accepts it, so that a
// rule added later does not block unrelated changes. It compares values in the same place, and elements of a keyed list
// with the element of the same key. Elements of other lists have no identity, so it always checks them. old is absent
// on creation.
func (s *Schema) CheckRules(path *status.Path, v, old doc.Value) status.FieldErrors {
	check := func(old doc.Value) status.FieldErrors {
		w := validator{findings: findings{root: path}}
		w.value(s, v, old, &trail{})
		return w.result()
	}
	errs := check(doc.Value{})
	if len(errs) > 0 && !old.IsAbsent() { // most updates are valid, so compare with the old object only after an error
		return check(old)
	}
	return errs
}

// CheckTypesAndRules is [Schema.CheckTypes] and [Schema.CheckRules] in one walk, so that all errors of a value are
// adjacent. It rejects a value of a wrong type even if the old object had it, and does not treat null as absent.
func (s *Schema) CheckTypesAndRules(path *status.Path, v, old doc.Value) status.FieldErrors {
	return s.CheckTypesAndRulesWithin(&Matching{}, path, v, old)
}

// CheckTypesAndRulesWithin is [Schema.CheckTypesAndRules] for one of several values whose patterns share a bound.
func (s *Schema) CheckTypesAndRulesWithin(m *Matching, path *status.Path, v, old doc.Value) status.FieldErrors {
	w := validator{findings: findings{root: path}, types: true, matching: *m}
	w.value(s, v, old, &trail{})
	m.steps = w.matching.steps
	return w.result()
}

// validator finds values that break a rule.
type validator struct {
	findings
	types    bool // values of wrong types are reported, too
	depth    int
	steps    int // see openValue
	matching Matching
}

// maxRatchetDepth bounds the depth of the comparison with the old object, because each level is compared with
// everything below it.
const maxRatchetDepth = 64

// value validates the value of one place. old is the value that the old object had there; it is absent if there was
// none or it cannot be found.
func (w *validator) value(s *Schema, v, old doc.Value, at *trail) {
	if v.IsAbsent() || w.full() {
		return
	}
	if s.fromOpenAPI {
		w.openValue(s, v, old, at)
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

// typesBelow reports only values of wrong types.
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

// length reports only the first fault in the length and pattern of a text, as kube-apiserver does.
func (w *validator) length(s *Schema, text string, at *trail) {
	c := s.Constraints()
	if c.MaxLength != nil || c.MinLength != nil {
		n := int64(utf8.RuneCountInString(text))
		if c.MaxLength != nil && n > *c.MaxLength {
			w.add(status.TooLongField(at.below(w.root), text, int(*c.MaxLength)))
			return
		}
		if c.MinLength != nil && n < *c.MinLength {
			w.invalid(at, text, "should be at least %d chars long", *c.MinLength)
			return
		}
	}
	if c.Pattern != nil && !w.matches(c.Pattern, text, at) {
		w.invalid(at, text, "should match '%s'", c.Pattern)
	}
}

func (w *validator) number(s *Schema, v doc.Value, at *trail) {
	c := s.Constraints()
	if !c.MultipleOf.IsAbsent() && !isMultiple(v, c.MultipleOf) {
		w.invalid(at, plain(v), "should be a multiple of %s", c.MultipleOf.Literal())
	}
	if !c.Minimum.IsAbsent() {
		switch order := compareNumbers(v, c.Minimum); {
		case c.ExclusiveMinimum && order <= 0:
			w.invalid(at, plain(v), "should be greater than %s", c.Minimum.Literal())
		case order < 0:
			w.invalid(at, plain(v), "should be greater than or equal to %s", c.Minimum.Literal())
		}
	}
	if !c.Maximum.IsAbsent() {
		switch order := compareNumbers(v, c.Maximum); {
		case c.ExclusiveMaximum && order >= 0:
			w.invalid(at, plain(v), "should be less than %s", c.Maximum.Literal())
		case order > 0:
			w.invalid(at, plain(v), "should be less than or equal to %s", c.Maximum.Literal())
		}
	}
}

func (w *validator) list(s *Schema, v, old doc.Value, at *trail) {
	c := s.Constraints()
	w.elements(s, v, old, at)
	n := int64(v.Len())
	if c.MinItems != nil && n < *c.MinItems {
		w.invalid(at, n, "should have at least %d items", *c.MinItems)
	}
	if c.MaxItems != nil && n > *c.MaxItems {
		w.add(status.TooManyField(at.below(w.root), int(n), int(*c.MaxItems)))
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

// correlate returns a function that finds an element in the old list: by its keys, if it has all of them, otherwise not
// at all.
func (s *Schema) correlate(old doc.Value) func(element doc.Value) doc.Value {
	if s.ListType != MapList || old.Len() == 0 || old.Kind() != doc.List {
		return func(doc.Value) doc.Value { return doc.Value{} }
	}
	if s.fromOpenAPI {
		return s.firstKeyed(old)
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

// size checks the number of members of a map.
func (w *validator) size(s *Schema, v doc.Value, at *trail) {
	c := s.Constraints()
	n := int64(v.Len())
	if c.MinProperties != nil && n < *c.MinProperties {
		w.invalid(at, n, "should have at least %d properties", *c.MinProperties)
	}
	if c.MaxProperties != nil && n > *c.MaxProperties {
		w.add(status.TooManyField(at.below(w.root), int(n), int(*c.MaxProperties)))
	}
}

func (w *validator) object(s *Schema, v, old doc.Value, at *trail) {
	w.size(s, v, at)
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

// required reports missing members, in the order in which the struct declares them.
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
