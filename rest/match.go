package rest

import (
	"slices"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// selection is what a list or watch is narrowed down to: where the store looks, and what it takes of what it finds.
type selection struct {
	scope watch.Scope
	terms []watch.Term               // by which the store may find what match takes
	match func(*storage.Record) bool // nil takes everything
}

// selection turns the selectors of a request into a scope, as narrow as they allow, and a match for the rest. Nothing
// is selected when two conditions name different objects.
func (res *resource) selection(namespace string, p listParameters) (s selection, nothing bool) {
	s.scope = watch.Scope{Resource: res.gr.String(), Namespace: namespace}
	if name, ok := p.fields.Exact("metadata.name"); ok && (namespace != "" || !res.kind.Namespaced) {
		s.scope.Name = name
	}
	if ns, ok := p.fields.Exact("metadata.namespace"); ok {
		switch {
		case namespace != "" && ns != namespace || !res.kind.Namespaced && ns != "":
			return s, true
		case res.kind.Namespaced && ns != "":
			s.scope.Namespace = ns
		}
	}
	labels, fields := p.labels, p.fields
	byLabels, byFields := !labels.Empty(), !fields.Empty()
	if !byLabels && !byFields {
		return s, false
	}
	s.terms = res.terms(p)
	s.match = func(r *storage.Record) bool {
		shown, err := res.show(r)
		if err != nil {
			return true // whoever looks at it is told of the error
		}
		return (!byLabels || labels.Matches(shown.Labels)) &&
			(!byFields || fields.Matches(func(field string) string { return res.fieldOf(shown, field) }))
	}
	return s, false
}

// terms are the values that selectors require of what is indexed. What a converted version shows is not.
func (res *resource) terms(p listParameters) (terms []watch.Term) {
	if res.fromStored != nil {
		return nil
	}
	for i, field := range res.fields {
		if value, ok := p.fields.Exact(field); ok {
			terms = append(terms, watch.Term{Index: watch.Index{Field: i}, Value: value})
		}
	}
	for _, label := range res.indexedLabels {
		if value, ok := p.labels.Exact(label); ok {
			terms = append(terms, watch.Term{Index: watch.Index{Label: label}, Value: value})
		}
	}
	return terms
}

// fieldOf returns a record's value of a selectable field.
func (res *resource) fieldOf(r *storage.Record, field string) string {
	switch field {
	case "metadata.name":
		return r.Key.Name
	case "metadata.namespace":
		return r.Key.Namespace
	}
	if i := slices.Index(res.fields, field); i >= 0 && i < len(r.Fields) {
		return r.Fields[i]
	}
	return ""
}
