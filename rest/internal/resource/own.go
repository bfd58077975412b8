package resource

import (
	"cmp"
	"context"

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

// own gives the object the managedFields that follow from the write.
func (w *Write) own(context.Context) error {
	w.tracked = w.withOwners(w.obj)
	return nil
}

// withOwners returns an object with the managedFields that follow (API concepts, Field management). A client claims those that it has
// sent or, if it has sent none, those that there were.
func (w *Write) withOwners(obj doc.Value) doc.Value {
	claimed, old := w.claimed, w.old.shown
	switch {
	case w.res.Managed == nil:
		return obj
	case w.form != applied:
		claimed = w.res.Managed.Update(old, w.owned(obj), claimed, w.writer())
	case !old.IsAbsent() && doc.Equal(obj, objectmeta.WithoutManagedFields(old)):
		// A configuration that asks for what there is moves no time, or it would never come to rest.
		if before := objectmeta.Of(old).Get(objectmeta.ManagedFields); managed.SameButTimes(claimed, before) {
			claimed = before
		}
	}
	return obj.WithAt(claimed, "metadata", objectmeta.ManagedFields)
}

// writer says who writes, for managedFields.
func (w *Write) writer() managed.Writer {
	by := managed.Writer{Manager: cmp.Or(w.Asked.Manager, w.Asked.Agent), Time: objectmeta.Timestamp(w.res.Now()).Text()}
	if w.Through != nil {
		by.Subresource = w.Through.Name
	}
	if w.setsCount() {
		by.Through, by.Time = w.Through.Kind.GroupVersion().String(), "" // upstream looks for the time among entries of the object
	}
	switch {
	case w.part() == StatusPart && w.res.Dialect.StatusMetadata:
		by.Part = managed.StatusAndMetadata
	case w.part() == StatusPart:
		by.Part = managed.Status
	case !w.res.HasStatus():
		by.Part = managed.Whole
	}
	return by
}

// setsCount reports whether the write sets a count through a subresource.
func (w *Write) setsCount() bool { return w.Through != nil && w.Through.applied != nil }

// owned is an object as far as it has owners: a count of zero is not written in a Scale, and belongs to nobody, nor does what
// a kind begins with by itself.
func (w *Write) owned(obj doc.Value) doc.Value {
	if w.old.shown.IsAbsent() {
		return w.res.life.owned(obj)
	}
	if w.setsCount() {
		if n, ok := obj.Lookup(w.Through.applied...).Int(); ok && n == 0 {
			return obj.WithAt(doc.Value{}, w.Through.applied...)
		}
	}
	return obj
}
