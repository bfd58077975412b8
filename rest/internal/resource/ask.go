package resource

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// find refuses to change or delete an object that does not exist, and to delete one that fails the preconditions.
func (w *Write) find(context.Context) error {
	switch {
	case w.current == nil && w.deletion == nil && w.Body.UID != "" && w.res.Traits.CreateOnUpdate:
		return w.res.uidConflict(w.Namespace, w.Name, w.Body.UID, "")
	case w.current == nil:
		w.result.Missing = true
		return w.res.NotFound(w.Name)
	case w.deletion == nil:
		return nil
	}
	if err := w.checkPreconditions(); err != nil {
		return err
	}
	return w.res.checkMortal(w.Name)
}

// read decodes the stored object. A deletion needs only the stored form, whatever the version of the request.
func (w *Write) read(context.Context) (err error) {
	w.result.UID = w.current.UID
	if w.deletion == nil {
		w.old, w.json, err = w.res.formsOf(w.current)
		return err
	}
	if w.old.stored, _, err = codec.DecodeJSON(w.current.JSON); err != nil {
		return fmt.Errorf("stored object %v: %w", w.current.Key, err)
	}
	return nil
}

// ask computes the object, or the view, that the client wants.
func (w *Write) ask(ctx context.Context) (err error) {
	if w.view, err = w.seen(ctx); err != nil {
		return err
	}
	seen := w.view
	if w.throughOwnKind() && w.form == patched {
		seen = w.Through.withoutCount(seen, w.old.shown).WithAt(w.Through.entriesOf(w.old.shown), "metadata", objectmeta.ManagedFields)
	}
	w.obj, err = w.want(seen)
	return err
}

// seen returns what the client sees and changes: the view of a subresource with its own kind, or the object. An apply always works on the
// object.
func (w *Write) seen(ctx context.Context) (doc.Value, error) {
	if !w.throughOwnKind() || w.form == applied {
		return w.old.shown, nil
	}
	shown, err := w.Through.Written(ctx, w.old.shown)
	if err != nil {
		return doc.Value{}, err
	}
	return w.Through.named(shown, w.old.shown), nil
}

// translate turns the view that the client wants into a change of the object, if the subresource has its own kind.
func (w *Write) translate(ctx context.Context) error {
	if !w.throughOwnKind() {
		return nil
	}
	if w.form == applied {
		return w.translateApplied(ctx)
	}
	v, sub := w.obj, w.Through
	if w.form == patched {
		if err := w.checkPatchedSubresource(v); err != nil {
			return err
		}
		v = objectmeta.WithoutManagedFields(v)
	}
	if err := w.res.CheckIdentity(v, w.Namespace, w.Name); err != nil {
		return err
	}
	v, err := w.checkView(v)
	if err != nil {
		return err
	}
	if v, err = w.admitView(ctx, v, w.view); err != nil {
		return err
	}
	obj, err := sub.Update(ctx, w.old.shown, v)
	if err != nil {
		return err
	}
	// The step precondition compares the resourceVersion of the client's view with that of the object.
	w.obj = w.res.WithKind(obj).WithAt(objectmeta.Of(v).Get(objectmeta.ResourceVersion), "metadata", objectmeta.ResourceVersion)
	w.translated = true
	return nil
}

// translateApplied checks the view of an object to which a configuration has been applied. Hooks see that view and may change it; then
// the object is updated by it.
func (w *Write) translateApplied(ctx context.Context) error {
	sub := w.Through
	before, err := sub.Written(ctx, w.old.shown)
	if err != nil {
		return err
	}
	v, err := sub.Written(ctx, w.res.Schema.Default(w.obj)) // a count that the configuration gave up gets its default again
	if err != nil {
		return err
	}
	if v, err = w.unchecked().checkView(sub.named(v, w.obj)); err != nil {
		return err
	}
	admitted, err := w.admitView(ctx, v, sub.named(before, w.old.shown))
	if err != nil || doc.Equal(admitted, v) && w.obj.Lookup(sub.applied...).IsAbsent() {
		return err
	}
	w.obj, err = sub.Update(ctx, w.obj, admitted)
	return err
}

// unchecked returns a write to the same subresource that ignores unknown fields. It checks documents that no client sent.
func (w *Write) unchecked() *Write {
	return w.res.NewWrite(w.Target, Asked{Validation: ValidationIgnore})
}

// checkView prunes, defaults and validates a document of the subresource's kind.
func (w *Write) checkView(v doc.Value) (doc.Value, error) {
	s, sent := w.Through, v
	v, unknown := s.Schema.Prune(v)
	v = s.Schema.Default(v)
	if errs := s.Schema.CheckTypes(nil, v); len(errs) > 0 {
		err := schema.DecodingError(codec.AppendJSON(nil, sent), s.GoType)
		if err == nil {
			err = errs[0]
		}
		return doc.Value{}, w.undecodableAs(s.Kind, sent, err)
	}
	if refused := w.Report(unknown); refused != "" {
		return doc.Value{}, w.undecodableAs(s.Kind, sent, errors.New(refused))
	}
	if errs := s.Schema.Validate(nil, v); len(errs) > 0 {
		return doc.Value{}, status.Invalid(s.Kind.GroupKind(), objectmeta.NameOf(v), errs)
	}
	return v, nil
}

// Call runs the action of a subresource on an object. If the returned document is absent, the answer is a plain success. An action is not
// a write of the object, so it takes none of the steps, but admission hooks see it.
func (w *Write) Call(ctx context.Context, body doc.Value) (doc.Value, error) {
	if w.Asked.DryRun && w.Through.DryRun == nil {
		return doc.Value{}, status.BadRequest("dryRun is not supported")
	}
	if err := w.res.CheckIdentity(body, w.Namespace, w.Name); err != nil {
		return doc.Value{}, err
	}
	body, err := w.checkView(body)
	if err != nil {
		return doc.Value{}, err
	}
	if ctx, err = w.nest(ctx); err != nil {
		return doc.Value{}, err
	}
	record, err := w.res.Get(ctx, w.Target, 0)
	if err != nil {
		return doc.Value{}, err
	}
	if w.old.shown, _, err = codec.DecodeJSON(record.JSON); err != nil {
		return doc.Value{}, fmt.Errorf("stored object %v: %w", record.Key, err)
	}
	if body, err = w.admitView(ctx, body, doc.Value{}); err != nil {
		return doc.Value{}, err
	}
	act := w.Through.Create
	if w.Asked.DryRun {
		act = w.Through.DryRun
	}
	answer, err := act(ctx, w.old.shown, body)
	if err != nil || answer.IsAbsent() {
		return doc.Value{}, err
	}
	return w.Through.named(answer, doc.Value{}), nil
}
