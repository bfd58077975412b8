package resource

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Restriction limits a client to some of the objects. For the client, the others do not exist. Every read and write of the client gets the
// same Restriction: as part of its [Target] or of its [ListParameters]. A nil Restriction restricts nothing, and costs nothing.
type Restriction struct {
	// AnyOf are filters. The client sees the objects that match at least one, so none if AnyOf is empty.
	AnyOf []Filter
	// and, unless it is nil, restricts the client further.
	and *Restriction
}

// Filter describes objects. The zero Filter matches every object.
type Filter struct {
	Labels apimeta.Selector
	Fields apimeta.FieldSelector
	// Namespace is the namespace of the objects, or empty for any. A namespace is in itself.
	Namespace string
}

// And returns the restriction to objects that both restrictions allow.
func (o *Restriction) And(other *Restriction) *Restriction {
	switch {
	case o == nil:
		return other
	case other == nil:
		return o
	}
	both := *o
	both.and = o.and.And(other)
	return &both
}

// Fingerprint returns a text that differs for different restrictions. It is empty for nil.
func (o *Restriction) Fingerprint() string {
	if o == nil {
		return ""
	}
	var filters []string
	for _, f := range o.AnyOf {
		filters = append(filters, fmt.Sprintf("%q %q %q", f.Namespace, f.Labels.String(), f.Fields.String()))
	}
	slices.Sort(filters)
	sum := sha256.Sum256([]byte(strconv.Quote(o.and.Fingerprint()) + strings.Join(filters, "\n")))
	return hex.EncodeToString(sum[:8])
}

// CheckRestriction returns an error if a filter selects by a field that the resource does not support in selectors.
func (res *Resource) CheckRestriction(o *Restriction) error {
	for ; o != nil; o = o.and {
		for _, f := range o.AnyOf {
			if err := res.CheckFieldSelector(f.Fields); err != nil {
				return err
			}
		}
	}
	return nil
}

// Admits reports whether the client sees a stored record.
func (res *Resource) Admits(only *Restriction, stored *storage.Record) bool {
	return res.admits(only, stored, func() (*storage.Record, error) { return res.Show(stored) })
}

// admits is Admits for a record of which show returns the form in the version of the resource. Only filters of fields call show, because
// these fields belong to a version. Labels are those that are stored: a conversion may change them, and whoever brings a conversion must not
// decide with it which objects the filter hides.
func (res *Resource) admits(only *Restriction, stored *storage.Record, show func() (*storage.Record, error)) bool {
	for ; only != nil; only = only.and {
		if !slices.ContainsFunc(only.AnyOf, func(f Filter) bool { return res.matches(f, stored, show) }) {
			return false
		}
	}
	return true
}

// AdmitsForms is Admits for an object that is not stored yet, in the version of the resource and in the stored version.
func (res *Resource) AdmitsForms(only *Restriction, key storage.Key, shown, stored doc.Value) (bool, error) {
	record, err := res.Stored.recordOf(key, stored)
	if err != nil {
		return false, err
	}
	return res.admits(only, record, func() (*storage.Record, error) { return res.recordOf(key, shown) }), nil
}

// recordOf returns what selection needs to know about an object in the version of the resource.
func (res *Resource) recordOf(key storage.Key, obj doc.Value) (*storage.Record, error) {
	parts, err := res.extract(codec.AppendObject(nil, obj))
	return &storage.Record{Key: key, Parts: parts}, err
}

// mayAdmit reports whether the client might see a stored record. It converts nothing, so it takes every filter of fields as met.
func (res *Resource) mayAdmit(only *Restriction, stored *storage.Record) bool {
	for ; only != nil; only = only.and {
		if !slices.ContainsFunc(only.AnyOf, func(f Filter) bool {
			f.Fields = apimeta.FieldSelector{}
			return res.matches(f, stored, nil)
		}) {
			return false
		}
	}
	return true
}

func (res *Resource) matches(f Filter, stored *storage.Record, show func() (*storage.Record, error)) bool {
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

// narrow lets a selection visit fewer objects if a single filter restricts the client. The match still checks each object.
func (res *Resource) narrow(s *Selection, only *Restriction) {
	if only.and != nil || len(only.AnyOf) != 1 {
		return
	}
	f := only.AnyOf[0]
	s.Terms = res.fieldTerms(s.Terms, f.Fields)
	s.Terms = res.Stored.labelTerms(s.Terms, f.Labels)
	if res.Kind.Namespaced && s.Scope.Namespace == "" {
		s.Scope.Namespace = f.Namespace
	}
}

// Permission is the permission of a client to watch. Its context ends with an Expired error as its cause when the rights of the client end.
type Permission struct {
	context.Context
	// Only and Resume are those of [ListParameters].
	Only   *Restriction
	Resume func(ctx context.Context, after watch.Revision) error
	// Release must be called when the watch has ended.
	Release func()
}
