package write

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// convert converts the object to the stored version, takes it through that version's steps if the dialect says so, and
// converts the result back for the answer.
func (w *Write) convert(ctx context.Context) (err error) {
	obj := w.after.shown
	if w.after.forms = (forms{obj, obj}); w.res.ToStored == nil {
		return nil
	}
	if w.after.stored, err = convertStored(w.res, obj, w.draft.base); err != nil {
		return err
	}
	if w.res.Dialect.StoredRules {
		if w.after.stored, err = w.takeInStored(ctx, w.after.stored); err != nil {
			return err
		}
	}
	if w.after.shown, err = w.showConverted(obj); err != nil {
		return err
	}
	if !doc.Equal(w.after.shown, obj) { // the client owns the defaults of the stored version too
		shown := objectmeta.WithoutManagedFields(w.after.shown)
		w.after.shown = w.withOwners(shown, shown)
	}
	return nil
}

// showConverted converts the stored object back to the version of the request. The object of the request says which
// fields the client has set to zero. Its managedFields do not: the conversion may have lost other fields that they
// name.
func (w *Write) showConverted(obj doc.Value) (doc.Value, error) {
	shown, err := w.res.FromStored(objectmeta.WithoutManagedFields(w.after.stored))
	if err != nil {
		return doc.Value{}, err
	}
	if !w.res.Dialect.GoWritten {
		shown = w.res.TypeView.SharedZeros(shown, obj)
	}
	return shown.WithAt(objectmeta.Of(obj).Get(objectmeta.ManagedFields), "metadata", objectmeta.ManagedFields), nil
}

// takeInStored takes a converted object through the steps of the stored version. Errors and warnings name that version,
// because the client may not know it.
func (w *Write) takeInStored(ctx context.Context, v doc.Value) (doc.Value, error) {
	var heard Warnings
	in := w.inStored(v, &heard)
	if errs := in.res.Schema.CheckTypes(nil, v); len(errs) > 0 { // possible if no function of the host converts
		return doc.Value{}, in.invalid(v, errs)
	}
	err := in.take(ctx, w.writes.order.stored, onWrite)
	for _, text := range heard.Texts[:heard.Always] {
		w.Warnings.addAlways(in.where() + text)
	}
	return in.draft.now, err
}

// inStored returns the write of a converted object in the stored version, with the values that the steps of that
// version begin with. The server asks for this write, so it has none of the client's options and sees the whole object.
func (w *Write) inStored(v doc.Value, heard *Warnings) *Write {
	stored := w.res.Stored
	in := w.writes.New(stored, resource.Target{Namespace: w.Namespace, Name: w.Name}, Asked{})
	in.Warnings, in.requested, in.attempt = heard, w.res, w.attempt.inStored(v)
	if w.Part() == resource.StatusPart && !desiredStateChanged(stored, v, w.before.stored) {
		// The write stays one of the status. If a field of one version's status lies outside of the other's, it counts
		// as a write of the whole object.
		in.Through = stored.FindSubresource(w.Through.Name)
	}
	return in
}

// inStored returns the attempt that the steps of the stored version begin with. v is the converted object.
func (a *attempt) inStored(v doc.Value) attempt {
	return attempt{
		before: found{forms: forms{a.before.stored, a.before.stored}},
		draft: draft{
			defaulted: defaulted{now: v},
			// The Default hook may change all of it, because the client sent none of it in this version.
			sent: doc.MapOf(),
		},
		after: outcome{forms: forms{shown: v}},
	}
}

// count sets the metadata that both forms share: managedFields and, in an update, the resourceVersion that the write
// replaces and the generation. The generation rises if either form changed outside of metadata and status (API
// conventions, Metadata), or if the client changed something there that the stored version lacks.
func (w *Write) count(context.Context) error {
	if w.res.ToStored == nil && w.before.shown.IsAbsent() {
		return nil
	}
	m := objectmeta.Of(w.after.shown)
	generation, rv := m.Get(objectmeta.Generation), m.Get(objectmeta.ResourceVersion)
	if old := w.before.forms; !old.shown.IsAbsent() {
		was := objectmeta.Of(old.shown)
		generation, rv = was.Get(objectmeta.Generation), was.Get(objectmeta.ResourceVersion)
		rises := w.res.Dialect.Generation && (w.counts(w.after.shown, old.shown) || w.res.ToStored != nil &&
			(w.counts(w.draft.now, old.shown) || desiredStateChanged(w.res.Stored, w.after.stored, old.stored)))
		if rises {
			n, _ := generation.Int()
			generation = doc.OfInt(n + 1)
		}
	}
	w.after.forms = w.after.forms.withMetadata( // sorted
		doc.Member{Key: objectmeta.Generation, Value: generation},
		doc.Member{Key: objectmeta.ManagedFields, Value: m.Get(objectmeta.ManagedFields)},
		doc.Member{Key: objectmeta.ResourceVersion, Value: rv},
	)
	return nil
}

// counts reports whether the write of obj over old raises the generation.
func (w *Write) counts(obj, old doc.Value) bool {
	e, m, was := &w.res.Strategy.Except, objectmeta.Of(obj), objectmeta.Of(old)
	differs := func(field string) bool { return !doc.Equal(m.Get(field), was.Get(field)) }
	if w.Part() == resource.MainPart && slices.ContainsFunc(e.Counted, differs) {
		return true
	}
	for _, path := range e.Uncounted {
		obj = obj.WithAt(old.Lookup(path...), path...)
	}
	return desiredStateChanged(w.res, obj, old)
}

// desiredStateChanged reports whether two objects differ outside of metadata and status. Without the subresource
// /status, the status is a field like any other.
func desiredStateChanged(res *resource.Resource, obj, old doc.Value) bool {
	outside := []string{"metadata", "apiVersion", "kind", "status"}
	if !res.HasStatus() {
		outside = outside[:3]
	}
	rest := func(v doc.Value) doc.Value { return v.Without(outside...) }
	return !doc.Equal(rest(obj), rest(old))
}
