package schema

import (
	"fmt"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// alternatives checks a value by anyOf, oneOf, allOf and not, in kube-apiserver's order. An update does not ratchet
// inside of them. From this point on, the walk reports each error once, because an alternative may repeat an error of
// the schema.
func (w *validator) alternatives(rules *openRules, v doc.Value, at *trail) {
	if len(rules.anyOf)+len(rules.oneOf)+len(rules.allOf) == 0 && rules.not == nil {
		return
	}
	w.unique = true
	w.anyOf(rules.anyOf, v, at)
	w.oneOf(rules.oneOf, v, at)
	w.allOf(rules.allOf, v, at)
	if rules.not != nil && len(w.try(rules.not, v, at).errs) == 0 {
		w.whole(fmt.Sprintf("%q must not validate the schema (not)", at.text()))
	}
}

// try validates a value by one alternative.
func (w *validator) try(s *Schema, v doc.Value, at *trail) *validator {
	out := &validator{findings: findings{root: w.root, unique: w.unique}, types: w.types, matching: w.matching}
	out.openValue(s, v, doc.Value{}, at)
	w.matching = out.matching
	return out
}

// take adds the errors and steps of an alternative.
func (w *validator) take(of *validator) {
	if of == nil {
		return
	}
	w.steps += of.steps
	for _, err := range of.errs {
		w.add(err)
	}
}

func (w *validator) anyOf(all []*Schema, v doc.Value, at *trail) {
	var best *validator
	for _, s := range all {
		tried := w.try(s, v, at)
		if len(tried.errs) == 0 {
			w.take(tried)
			return
		}
		if best == nil || tried.steps > best.steps {
			best = tried
		}
	}
	if best != nil {
		w.whole(fmt.Sprintf("%q must validate at least one schema (anyOf)", at.text()))
		w.take(best)
	}
}

func (w *validator) oneOf(all []*Schema, v doc.Value, at *trail) {
	if len(all) == 0 {
		return
	}
	var best, first *validator
	valid := 0
	for _, s := range all {
		switch tried := w.try(s, v, at); {
		case len(tried.errs) == 0:
			valid++
			if best = nil; first == nil {
				first = tried
			}
		case valid == 0 && (best == nil || tried.steps > best.steps):
			best = tried
		}
	}
	switch valid {
	case 0:
		w.whole(fmt.Sprintf("%q must validate one and only one schema (oneOf). Found none valid", at.text()))
		w.take(best)
	case 1:
		w.take(first)
	default:
		w.whole(fmt.Sprintf("%q must validate one and only one schema (oneOf). Found %d valid alternatives", at.text(),
			valid))
	}
}

func (w *validator) allOf(all []*Schema, v doc.Value, at *trail) {
	valid := 0
	for _, s := range all {
		tried := w.try(s, v, at)
		if len(tried.errs) == 0 {
			valid++
		}
		w.take(tried)
	}
	switch valid {
	case len(all):
	case 0:
		w.whole(fmt.Sprintf("%q must validate all the schemas (allOf). None validated", at.text()))
	default:
		w.whole(fmt.Sprintf("%q must validate all the schemas (allOf)", at.text()))
	}
}

// whole adds an error whose text names the invalid field. Its path is that of the whole document, as in kube-apiserver.
func (f *findings) whole(text string) {
	f.add(status.InvalidField(f.root, "", text))
}
