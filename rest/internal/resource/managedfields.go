package resource

import (
	"cmp"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

// selfAgent writes what the API makes by itself.
const selfAgent = "decorum"

// trackManagers prepares the resource to keep managedFields. What an object of a built-in kind has before anything is
// written to it is what its Go type writes anyway; one of a custom kind has nothing.
func (res *Resource) trackManagers() error {
	empty := res.bare()
	if res.Dialect.GoWritten {
		obj, err := res.GoType.FromDocument(empty)
		if err != nil {
			return err
		}
		if empty, err = res.GoType.ToDocument(obj); err != nil {
			return err
		}
		empty = res.WithKind(empty)
	}
	res.Managed = managed.NewKind(res.Schema, res.GVK, empty, res.asOwned)
	return nil
}

// asOwned converts an object to the version in which an entry of managedFields names its fields. The keeper is nil for a
// version that is not there.
func (res *Resource) asOwned(obj doc.Value, apiVersion string) (doc.Value, *managed.Kind, error) {
	from, to := res.inVersion(obj.Get("apiVersion").Text()), res.inVersion(apiVersion)
	if from == nil || to == nil {
		return doc.Value{}, nil, nil
	}
	obj, err := from.convert(obj, to)
	return obj, to.Managed, err
}

// writer says who writes, for managedFields.
func (res *Resource) writer(o *WriteOptions) managed.Writer {
	w := managed.Writer{Manager: cmp.Or(o.Manager, o.Agent), Subresource: cmp.Or(o.subresource, o.part.subresource()), Time: objectmeta.Timestamp(res.Now()).Text()}
	if sub := res.countsThrough(o); sub != nil {
		w.Through, w.Time = sub.Kind.GroupVersion().String(), "" // upstream looks for the time among entries of the object
	}
	switch {
	case o.part == StatusPart && res.Dialect.StatusMetadata:
		w.Part = managed.StatusAndMetadata
	case o.part == StatusPart:
		w.Part = managed.Status
	case !res.HasStatus():
		w.Part = managed.Whole
	}
	return w
}

// countsThrough returns the subresource through which a write sets a count, nil where it does not.
func (res *Resource) countsThrough(o *WriteOptions) *Subresource {
	if o.subresource == "" {
		return nil
	}
	if sub := res.Subresource(o.subresource); sub != nil && sub.applied != nil {
		return sub
	}
	return nil
}

// owned is an object as far as it has owners: a count of zero is not written in a Scale, and belongs to nobody, nor does what
// a namespace begins with.
func (res *Resource) owned(obj, old doc.Value, o *WriteOptions) doc.Value {
	if res.Traits.Namespaces && old.IsAbsent() {
		return withoutFirstFinalizer(obj)
	}
	if sub := res.countsThrough(o); sub != nil {
		if n, ok := obj.Lookup(sub.applied...).Int(); ok && n == 0 {
			return obj.WithAt(doc.Value{}, sub.applied...)
		}
	}
	return obj
}

// trackFields gives an object that a write has made the managedFields that follow (API concepts, Field management).
// claimed are those that the client sent or, where it sent none, those there were.
func (res *Resource) trackFields(obj, old, claimed doc.Value, o *WriteOptions) doc.Value {
	switch {
	case res.Managed == nil:
		return obj
	case !o.applied:
		claimed = res.Managed.Update(old, res.owned(obj, old, o), claimed, res.writer(o))
	case !old.IsAbsent() && doc.Equal(obj, objectmeta.WithoutManagedFields(old)):
		// A configuration that asks for what there is moves no time, or it would never come to rest.
		if before := objectmeta.Of(old).Get(objectmeta.ManagedFields); managed.SameButTimes(claimed, before) {
			claimed = before
		}
	}
	return obj.WithAt(claimed, "metadata", objectmeta.ManagedFields)
}
