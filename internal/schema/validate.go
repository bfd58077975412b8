package schema

import (
	"fmt"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Validate refuses what breaks a rule of the schema: required members, enumerations, bounds of numbers, strings, lists
// and maps, patterns, and elements that occur twice in a set or a keyed list (API conventions, Validation). Values of a
// wrong type are passed over: they are [Schema.CheckTypes]' concern, as is object metadata of its own rules. The path is
// where the document stands; nil for a whole object. At most a hundred errors are returned.
func (s *Schema) Validate(path *status.Path, v doc.Value) status.FieldErrors {
	w := validator{root: path}
	w.value(s, v, &trail{})
	return w.errs
}

type validator struct {
	root *status.Path
	errs status.FieldErrors
}

func (w *validator) full() bool { return len(w.errs) >= maxNamed }

func (w *validator) value(s *Schema, v doc.Value, at *trail) {
	if v.IsAbsent() || w.full() {
		return
	}
	if len(s.Enum) > 0 {
		w.enum(s, v, at)
	}
	switch v.Kind() {
	case doc.String:
		w.text(s, v.Text(), at)
	case doc.Number:
		w.number(s, v, at)
	case doc.List:
		w.list(s, v, at)
	case doc.Map:
		w.object(s, v, at)
	}
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
	w.errs = append(w.errs, status.UnsupportedValue(at.below(w.root), plain(v), allowed))
}

func (w *validator) text(s *Schema, text string, at *trail) {
	if s.MaxLength != nil || s.MinLength != nil {
		n := int64(utf8.RuneCountInString(text))
		if s.MaxLength != nil && n > *s.MaxLength {
			w.errs = append(w.errs, status.TooLongField(at.below(w.root), text, int(*s.MaxLength)))
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

func (w *validator) list(s *Schema, v doc.Value, at *trail) {
	n := int64(v.Len())
	if s.MaxItems != nil && n > *s.MaxItems {
		w.errs = append(w.errs, status.TooManyField(at.below(w.root), int(n), int(*s.MaxItems)))
	}
	if s.MinItems != nil && n < *s.MinItems {
		w.invalid(at, n, "should have at least %d items", *s.MinItems)
	}
	if !s.duplicates && (s.ListType == SetList || s.ListType == MapList) {
		w.unique(s, v, at)
	}
	if s.Items == nil {
		return
	}
	step := trail{up: at}
	for i := range v.Len() {
		if v.At(i).IsNull() && s.goType.nullElements {
			continue
		}
		step.index = i
		w.value(s.Items, v.At(i), &step)
	}
}

func (w *validator) object(s *Schema, v doc.Value, at *trail) {
	n := int64(v.Len())
	if s.MaxProperties != nil && n > *s.MaxProperties {
		w.errs = append(w.errs, status.TooManyField(at.below(w.root), int(n), int(*s.MaxProperties)))
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
			w.value(below, v.At(i), &step)
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
			w.errs = append(w.errs, status.RequiredField(step.below(w.root), ""))
		}
	}
}

func (w *validator) invalid(at *trail, value any, rule string, bound any) {
	if w.full() {
		return
	}
	path := at.below(w.root)
	w.errs = append(w.errs, status.InvalidField(path, value, fmt.Sprintf("%s in body "+rule, path, bound)))
}
