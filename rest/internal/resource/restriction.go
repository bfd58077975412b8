package resource

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/storage"
)

// CheckRestriction returns an error if a filter selects by a field that the resource does not support in selectors.
func (res *Resource) CheckRestriction(o *rights.Restriction) error {
	for f := range o.Each {
		if err := res.CheckFieldSelector(f.Fields); err != nil {
			return err
		}
	}
	return nil
}

// Admits reports whether the client sees a stored record.
func (res *Resource) Admits(only *rights.Restriction, stored *storage.Record) bool {
	return res.admits(only, stored, func() (*storage.Record, error) { return res.showToSelect(stored) })
}

// admits is like Admits. show returns the form of the record in the version of the resource. Only filters of fields
// call show, because these fields belong to a version. Filters of labels use the stored labels. A conversion may change
// labels, and its author must not decide which objects the filter hides.
func (res *Resource) admits(only *rights.Restriction, stored *storage.Record,
	show func() (*storage.Record, error)) bool {
	return only.Admits(func(f access.Filter) bool { return res.matches(f, stored, show) })
}

// AdmitsForms is Admits for an object that is not stored yet, in the version of the resource and in the stored version.
func (res *Resource) AdmitsForms(only *rights.Restriction, key storage.Key, shown, stored doc.Value) (bool, error) {
	record, err := res.Stored.recordOf(key, stored)
	if err != nil {
		return false, err
	}
	return res.admits(only, record, func() (*storage.Record, error) { return res.recordOf(key, shown) }), nil
}

// recordOf returns what selection needs to know about an object in the version of the resource.
func (res *Resource) recordOf(key storage.Key, obj doc.Value) (*storage.Record, error) {
	parts, err := res.extract(codec.AppendObject(nil, obj))
	return &storage.Record{Key: key, Extracted: parts}, err
}

// mayAdmit reports whether the client might see a stored record. It converts nothing, so it takes every filter of
// fields as met.
func (res *Resource) mayAdmit(only *rights.Restriction, stored *storage.Record) bool {
	return only.Admits(func(f access.Filter) bool {
		f.Fields = apimeta.FieldMatcher{}
		return res.matches(f, stored, nil)
	})
}

func (res *Resource) matches(f access.Filter, stored *storage.Record, show func() (*storage.Record, error)) bool {
	if f.Namespace != "" {
		namespace := stored.Key.Namespace
		if res.AreNamespaces() {
			namespace = stored.Key.Name
		}
		if namespace != f.Namespace {
			return false
		}
	}
	if !f.Labels.Matches(stored.Labels) {
		return false
	}
	if f.Fields.Empty() {
		return true
	}
	if res.CheckFieldSelector(f.Fields) != nil { // a newer declaration may lack the field, and then "!=" would match everything
		return false
	}
	shown, err := show()
	return err == nil && f.Fields.Matches(func(field string) string { return res.fieldOf(shown, field) })
}

// narrow lets a selection visit fewer objects if a single filter restricts the client. The match still checks each
// object.
func (res *Resource) narrow(s *Selection, only *rights.Restriction) {
	f, ok := only.Single()
	if !ok {
		return
	}
	s.Terms = res.fieldTerms(s.Terms, f.Fields)
	s.Terms = res.Stored.labelTerms(s.Terms, f.Labels)
	if res.Kind.Namespaced && s.Within.Namespace == "" {
		s.Within.Namespace = f.Namespace
	}
}
