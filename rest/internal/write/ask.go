package write

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// ask computes the object, or the view, that the client wants.
func (w *Write) ask(ctx context.Context) (err error) {
	if w.before.view, err = w.seen(ctx); err != nil {
		return err
	}
	seen := w.before.view
	if w.ThroughOwnKind() && w.way == patched {
		entries := w.Through.EntriesOf(w.before.shown)
		seen = w.Through.WithoutCount(seen, w.before.shown).WithAt(entries, "metadata", objectmeta.ManagedFields)
	}
	w.draft.now, err = w.want(seen)
	if err == nil && w.instead {
		w.draft.now, err = withoutVersion(w.draft.now)
	}
	return err
}

// withoutVersion returns the object of an update that creates it. Its resourceVersion cannot match anything, so only a
// malformed one is an error.
func withoutVersion(obj doc.Value) (doc.Value, error) {
	if rv := objectmeta.Of(obj).Get(objectmeta.ResourceVersion).Text(); rv != "" && !isDecimal(rv) {
		return doc.Value{}, noVersion(rv)
	}
	return obj.WithAt(doc.Value{}, "metadata", objectmeta.ResourceVersion), nil
}

// seen returns what the client sees and changes: the view of a subresource with its own kind, or the object. An apply
// always works on the object.
func (w *Write) seen(ctx context.Context) (doc.Value, error) {
	if !w.ThroughOwnKind() || w.way == applied {
		return w.before.shown, nil
	}
	shown, err := w.Through.Written(ctx, w.before.shown)
	if err != nil {
		return doc.Value{}, err
	}
	return w.Through.Named(shown, w.before.shown), nil
}

// translate turns the view that the client wants into a change of the object, if the subresource has its own kind.
func (w *Write) translate(ctx context.Context) error {
	if !w.ThroughOwnKind() {
		return nil
	}
	if w.way == applied {
		return w.translateApplied(ctx)
	}
	v, sub := w.draft.now, w.Through
	if w.way == patched {
		if err := w.checkPatchedSubresource(v); err != nil {
			return err
		}
		v = objectmeta.WithoutManagedFields(v)
	}
	if err := CheckIdentity(w.res, v, w.Namespace, w.Name); err != nil {
		return err
	}
	v, err := w.checkView(v)
	if err != nil {
		return err
	}
	if v, err = w.admitView(ctx, v, w.before.view); err != nil {
		return err
	}
	obj, err := sub.Update(ctx, w.before.shown, v)
	if err != nil {
		return err
	}
	// The step precondition compares the resourceVersion of the client's view with that of the object.
	rv := objectmeta.Of(v).Get(objectmeta.ResourceVersion)
	w.draft.now = w.res.WithKind(obj).WithAt(rv, "metadata", objectmeta.ResourceVersion)
	w.draft.translated = true
	return nil
}

// translateApplied checks the view of an object to which a configuration has been applied. Hooks see that view and may
// change it; then the object is updated by it.
func (w *Write) translateApplied(ctx context.Context) error {
	if err := w.checkNamed(w.draft.now); err != nil {
		return err
	}
	sub := w.Through
	before, err := sub.Written(ctx, w.before.shown)
	if err != nil {
		return err
	}
	// A count that the configuration gave up gets its default again.
	full, err := defaultWithin(w.res, w.res.Schema, w.draft.now, maxDefaults(w.res, w.before.record))
	if err != nil {
		return err
	}
	v, err := sub.Written(ctx, full)
	if err != nil {
		return err
	}
	if v, err = checkComputedView(w.res, sub, sub.Named(v, w.draft.now)); err != nil {
		return err
	}
	admitted, err := w.admitView(ctx, v, sub.Named(before, w.before.shown))
	if err != nil || doc.Equal(admitted, v) && w.draft.now.Lookup(sub.Applied...).IsAbsent() {
		return err
	}
	w.draft.now, err = sub.Update(ctx, w.draft.now, admitted)
	return err
}

// checkView prunes, defaults and validates a document of the subresource's kind that a client has sent.
func (w *Write) checkView(sent doc.Value) (doc.Value, error) {
	s := w.Through
	v, unknown, err := fitView(w.res, s, sent, maxDefaults(w.res, w.before.record))
	if misfit, ok := errors.AsType[*viewMisfit](err); ok {
		return doc.Value{}, w.undecodableAs(s.Kind, sent, misfit.error)
	}
	if err != nil {
		return doc.Value{}, err
	}
	if refused := w.Report(unknown); refused != "" {
		return doc.Value{}, w.undecodableAs(s.Kind, sent, errors.New(refused))
	}
	return v, validateView(s, v)
}

// checkComputedView is checkView for a document that no client has sent. Nobody hears of its unknown fields.
func checkComputedView(res *resource.Resource, s *resource.Subresource, v doc.Value) (doc.Value, error) {
	v, _, err := fitView(res, s, v, maxDefaults(res, nil))
	if misfit, ok := errors.AsType[*viewMisfit](err); ok {
		return doc.Value{}, Undecodable(s.Kind, misfit.error)
	}
	if err != nil {
		return doc.Value{}, err
	}
	return v, validateView(s, v)
}

// viewMisfit is the error of a document whose values have other types than those of the subresource's kind.
type viewMisfit struct{ error }

// fitView prunes and defaults a document of the subresource's kind, and checks the types of its values. limit bounds
// what the defaults may add, in bytes.
func fitView(res *resource.Resource, s *resource.Subresource, sent doc.Value,
	limit int) (v doc.Value, unknown []string, err error) {
	v, unknown = s.Schema.Prune(sent)
	if v, err = defaultWithin(res, s.Schema, v, limit); err != nil {
		return doc.Value{}, nil, err
	}
	errs := s.Schema.CheckTypes(nil, v)
	if len(errs) == 0 {
		return v, unknown, nil
	}
	if err = gotype.DecodingError(codec.AppendJSON(nil, sent), s.GoType); err == nil {
		err = errs[0]
	}
	return doc.Value{}, nil, &viewMisfit{err}
}

// validateView checks a document of the subresource's kind by the schema.
func validateView(s *resource.Subresource, v doc.Value) error {
	if errs := s.Schema.Validate(nil, v); len(errs) > 0 {
		return status.Invalid(s.Kind.GroupKind(), objectmeta.NameOf(v), errs)
	}
	return nil
}
