package resource

import (
	"slices"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Selection is what a list or watch is narrowed down to: where the store looks, and what it takes of what it finds.
type Selection struct {
	Scope watch.Scope
	Terms []watch.Term               // by which the store may find what match takes
	Match func(*storage.Record) bool // nil takes everything
}

// Select turns the selectors of a request into a scope, as narrow as they allow, and a match for the rest. Nothing
// is selected when two conditions name different objects.
func (res *Resource) Select(namespace string, p ListParameters) (s Selection, nothing bool) {
	s.Scope = watch.Scope{Resource: res.GR.String(), Namespace: namespace}
	if name, ok := p.Fields.Exact("metadata.name"); ok && (namespace != "" || !res.Kind.Namespaced) {
		s.Scope.Name = name
	}
	if ns, ok := p.Fields.Exact("metadata.namespace"); ok {
		switch {
		case namespace != "" && ns != namespace || !res.Kind.Namespaced && ns != "":
			return s, true
		case res.Kind.Namespaced && ns != "":
			s.Scope.Namespace = ns
		}
	}
	labels, fields := p.Labels, p.Fields
	byLabels, byFields := !labels.Empty(), !fields.Empty()
	if !byLabels && !byFields {
		return s, false
	}
	s.Terms = res.terms(p)
	s.Match = func(r *storage.Record) bool {
		shown, err := res.Show(r)
		if err != nil {
			return true // whoever looks at it is told of the error
		}
		return (!byLabels || labels.Matches(shown.Labels)) &&
			(!byFields || fields.Matches(func(field string) string { return res.fieldOf(shown, field) }))
	}
	return s, false
}

// terms are the values that selectors require of what is indexed. What a converted version shows is not.
func (res *Resource) terms(p ListParameters) (terms []watch.Term) {
	if res.fromStored != nil {
		return nil
	}
	for i, field := range res.fields {
		if value, ok := p.Fields.Exact(field); ok {
			terms = append(terms, watch.Term{Index: watch.Index{Field: i}, Value: value})
		}
	}
	for _, label := range res.indexedLabels {
		if value, ok := p.Labels.Exact(label); ok {
			terms = append(terms, watch.Term{Index: watch.Index{Label: label}, Value: value})
		}
	}
	return terms
}

// fieldOf returns a record's value of a selectable field.
func (res *Resource) fieldOf(r *storage.Record, field string) string {
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
