package write

import (
	"cmp"
	"context"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// own records who owns which fields after the write.
func (w *Write) own(context.Context) error {
	w.after.shown = w.withOwners(w.draft.now, w.claimedIn(w.draft.now))
	return nil
}

// withOwners returns the object with the managedFields after this write (API concepts, Field management), in which the
// client owns its changes in mine. If the client sends no managedFields, the server starts from the old object's.
func (w *Write) withOwners(obj, mine doc.Value) doc.Value {
	claimed, old := w.draft.owners, w.before.shown
	if w.res.Managed == nil {
		return obj
	}
	switch {
	case w.way == applied:
	case w.setsCount() && w.Through.EntriesOf(old).Len() == 0:
		// To upstream, the view has no entries then, and like an object without entries it stays without them.
		claimed = objectmeta.Of(old).Get(objectmeta.ManagedFields)
	default:
		claimed = w.res.Managed.Update(old, w.owned(mine), claimed, w.writer())
	}
	mayRepeat := w.way == applied || mine != obj // another update that changes nothing has ended in the step compare
	if mayRepeat && !old.IsAbsent() && doc.Equal(obj, objectmeta.WithoutManagedFields(old)) {
		// A write that changes nothing keeps the times too. Otherwise each repetition would be a write, and its event
		// could cause the next.
		if before := objectmeta.Of(old).Get(objectmeta.ManagedFields); managed.SameButTimes(claimed, before) {
			claimed = before
		}
	}
	if w.keepsCount(obj) {
		claimed = w.res.Managed.KeptCount(claimed, w.Through.Applied)
	}
	return obj.WithAt(claimed, "metadata", objectmeta.ManagedFields)
}

// claimedIn returns the object whose changes the client owns. obj is the object after this write. Through a view, such as
// a Scale, the client has sent no object, so there it owns the changes of obj.
func (w *Write) claimedIn(obj doc.Value) doc.Value {
	if w.res.Dialect.HooksOwn || w.Through != nil && w.Through.Name != "status" && !w.Through.OfItself {
		return obj
	}
	return w.draft.asked
}

// writer describes the writer for managedFields.
func (w *Write) writer() managed.Writer {
	by := managed.Writer{Manager: cmp.Or(w.Asked.Manager, w.Asked.Agent), Time: objectmeta.Timestamp(w.res.Now()).Text()}
	if w.Through != nil {
		by.Subresource = w.Through.Name
	}
	by.Unowned = w.res.Strategy.Except.Unowned[by.Subresource]
	if w.setsCount() {
		by.Through, by.Time = w.Through.Kind.GroupVersion().String(), "" // upstream keeps no time here
	}
	switch {
	case w.Part() == resource.StatusPart && w.res.Dialect.StatusMetadata:
		by.Part = managed.StatusAndMetadata
	case w.Part() == resource.StatusPart:
		by.Part = managed.Status
	case !w.res.HasStatus(), w.Part() == resource.WholePart:
		by.Part = managed.Whole
	}
	return by
}

// setsCount reports whether the client sets a count through the subresource, as through /scale.
func (w *Write) setsCount() bool { return w.Through != nil && w.Through.Applied != nil }

// keepsCount reports whether the client sets the count of the object to its present value, through the subresource.
func (w *Write) keepsCount(obj doc.Value) bool {
	return w.setsCount() && doc.Equal(obj.Lookup(w.Through.Applied...), w.before.shown.Lookup(w.Through.Applied...))
}

// splitsEntries reports whether a write that changes nothing else changes managedFields, as [managed.Kind.KeptCount]
// does.
func (w *Write) splitsEntries() bool {
	if w.res.Managed == nil || !w.setsCount() {
		return false
	}
	entries := objectmeta.Of(w.before.shown).Get(objectmeta.ManagedFields)
	return !doc.Equal(entries, w.res.Managed.KeptCount(entries, w.Through.Applied))
}

// owned returns the object without the fields that nobody owns: the initial fields of a new object, and a count of
// zero, because a Scale leaves it out.
func (w *Write) owned(obj doc.Value) doc.Value {
	if w.before.shown.IsAbsent() {
		return w.res.Strategy.Owned(obj, w.body)
	}
	if w.setsCount() && !w.keepsCount(obj) {
		if n, ok := obj.Lookup(w.Through.Applied...).Int(); ok && n == 0 {
			return obj.WithAt(doc.Value{}, w.Through.Applied...)
		}
	}
	return obj
}
