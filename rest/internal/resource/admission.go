package resource

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// admission is a write as the admission hooks see it.
type admission struct {
	*Write
	operation       operation
	kind            apimeta.GroupVersionKind
	namespace, name string
	schema          *schema.Schema // of the kind
	old             forms          // of a subresource with a kind of its own there is but one
	options         any
	// base is what the object was when both its forms were last known: old, or what a hook has made of the stored form. In it
	// is what the version of the request has no words for.
	base forms
	// known are the forms of an object that a hook has asked for.
	known forms
}

// mutate lets the hooks change the object.
func (w *Write) mutate(ctx context.Context) error {
	if w.review = w.reviewed(w.obj); w.review == nil {
		return nil
	}
	changed, err := w.review.mutate(ctx, w.obj)
	if err != nil {
		return err
	}
	w.base = w.review.base
	return w.resettle(ctx, w.dropRepeatedOwners(w.res.mutated(changed, w.obj, w.part()), objectmeta.AfterMutation))
}

// admit asks the hooks about the object as it would be stored, and about a deletion.
func (w *Write) admit(ctx context.Context) error {
	if w.deletion != nil {
		return w.admitDelete(ctx)
	}
	return w.review.validate(ctx, w.out)
}

// reviewed describes a create or an update of an object, or of a part of it. It is nil if no hook sees the write: what is written
// through a kind of its own has been reviewed in that kind.
func (w *Write) reviewed(obj doc.Value) *admission {
	if len(w.res.hooks) == 0 || w.Asked.Trusted || w.throughOwnKind() {
		return nil
	}
	m := objectmeta.Of(obj)
	a := &admission{Write: w, operation: updateOperation, kind: w.res.Stored.GVK, schema: w.res.Schema,
		namespace: m.Get(objectmeta.Namespace).Text(), name: m.Get(objectmeta.Name).Text(), old: w.old, base: w.old}
	if w.old.shown.IsAbsent() {
		a.operation = createOperation
	}
	a.options = w.optionsOf(a.operation)
	return a.orNone()
}

// admitView lets the hooks change and judge what a client writes to a subresource with a kind of its own. An absent old is a POST.
func (w *Write) admitView(ctx context.Context, v, old doc.Value) (doc.Value, error) {
	if len(w.res.hooks) == 0 {
		return v, nil
	}
	a := &admission{Write: w, operation: updateOperation, kind: w.Through.Kind, schema: w.Through.Schema,
		namespace: w.Namespace, name: w.Name, old: forms{old, old}}
	if old.IsAbsent() {
		a.operation = createOperation
	}
	a.options = w.optionsOf(a.operation)
	if a = a.orNone(); a == nil {
		return v, nil
	}
	changed, err := a.mutate(ctx, v)
	if err != nil {
		return doc.Value{}, err
	}
	if !doc.Equal(changed, v) {
		if changed, err = w.unchecked().checkView(w.Through.named(changed, doc.Value{})); err != nil {
			return doc.Value{}, err
		}
		rv := objectmeta.Of(v).Get(objectmeta.ResourceVersion) // the precondition is the client's
		if !rv.IsAbsent() || objectmeta.Of(changed).Has(objectmeta.ResourceVersion) {
			changed = changed.WithAt(rv, "metadata", objectmeta.ResourceVersion)
		}
	}
	return changed, a.validate(ctx, forms{changed, changed})
}

// admitDelete asks the hooks whether an object, given as it is stored, may be deleted.
func (w *Write) admitDelete(ctx context.Context) error {
	if len(w.res.hooks) == 0 || w.Asked.Trusted {
		return nil
	}
	a := &admission{Write: w, operation: deleteOperation, kind: w.res.Stored.GVK, schema: w.res.Schema, namespace: w.Namespace, name: w.Name,
		old: forms{stored: w.old.stored}, options: w.deletion}
	if a = a.orNone(); a == nil {
		return nil
	}
	if _, err := a.mutate(ctx, doc.Value{}); err != nil {
		return err
	}
	return a.validate(ctx, forms{})
}

// Connect lets the hooks change and judge the options with which a client connects to a stream of the object.
func (w *Write) Connect(ctx context.Context, options doc.Value) (doc.Value, error) {
	if len(w.res.hooks) == 0 {
		return options, nil
	}
	sub := w.Through
	a := &admission{Write: w, operation: connectOperation, kind: sub.Kind, schema: sub.Stream.Options, namespace: w.Namespace, name: w.Name}
	if a = a.orNone(); a == nil {
		return options, nil
	}
	options = options.With("apiVersion", doc.Of(sub.Kind.GroupVersion().String())).With("kind", doc.Of(sub.Kind.Kind))
	changed, err := a.mutate(ctx, options)
	if err != nil {
		return doc.Value{}, err
	}
	if err := a.validate(ctx, forms{changed, changed}); err != nil {
		return doc.Value{}, err
	}
	return CheckOptions(sub.Stream.Options, changed.Without("apiVersion", "kind"))
}

// subresource is the name under which a part of the object is written; the object itself has none.
func (w *Write) subresource() string {
	if w.Through == nil {
		return ""
	}
	return w.Through.Name
}

// orNone is nil if no hook sees the write.
func (a *admission) orNone() *admission {
	if slices.ContainsFunc(a.res.hooks, func(h *Hook) bool { return h.sees(a.res, a.subresource(), a.operation) }) {
		return a
	}
	return nil
}

// optionsOf are the options as the client's request has them.
func (w *Write) optionsOf(op operation) any {
	var dryRun []string
	if w.Asked.DryRun {
		dryRun = []string{apimeta.DryRunAll}
	}
	manager, validation := w.Asked.Manager, string(w.Asked.Validation)
	switch {
	case w.form == applied:
		return &apimeta.PatchOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: validation, Force: &w.Asked.Force}
	case w.form == patched:
		return &apimeta.PatchOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: validation}
	case op == createOperation:
		return &apimeta.CreateOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: validation}
	}
	return &apimeta.UpdateOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: validation}
}

// mutate lets the hooks change an object. Those that ran before another changed it run once more.
func (a *admission) mutate(ctx context.Context, obj doc.Value) (doc.Value, error) {
	if a == nil {
		return obj, nil
	}
	var hooks []*Hook
	for _, h := range a.res.hooks {
		if h.Mutate != nil && h.sees(a.res, a.subresource(), a.operation) {
			hooks = append(hooks, h)
		}
	}
	left := make([]forms, len(hooks)) // the object as each hook has left it
	for round := range 2 {
		for i, h := range hooks {
			if round > 0 && doc.Equal(left[i].shown, obj) && doc.Equal(left[i].stored, a.base.stored) {
				continue
			}
			var err error
			if obj, err = a.call(ctx, h, "Mutate", h.Mutate, obj); err != nil {
				return doc.Value{}, err
			}
			left[i] = forms{obj, a.base.stored}
		}
	}
	return obj, nil
}

// validate asks the hooks about an object as it would be stored.
func (a *admission) validate(ctx context.Context, obj forms) error {
	if a == nil {
		return nil
	}
	a.known = obj
	for _, h := range a.res.hooks {
		if h.Validate == nil || !h.sees(a.res, a.subresource(), a.operation) {
			continue
		}
		if _, err := a.call(ctx, h, "Validate", h.Validate, obj.shown); err != nil {
			return err
		}
	}
	return nil
}

// call runs one hook and returns the object as it leaves it.
func (a *admission) call(ctx context.Context, h *Hook, what string, f func(context.Context, *Review) error, obj doc.Value) (doc.Value, error) {
	if a.Asked.DryRun && !h.RunsDry {
		return doc.Value{}, status.BadRequest(`admission webhook "` + h.Name + `" does not support dry run`)
	}
	r := &Review{write: a, object: obj, mutable: what == "Mutate"}
	err := func() (err error) {
		defer RecoverHook(what+" of "+h.Name, &err)
		return f(ctx, r)
	}()
	if err != nil {
		return doc.Value{}, a.refusal(ctx, err)
	}
	return r.object, nil
}

// refusal is what a client gets for an error of a hook.
func (a *admission) refusal(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*status.Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*PanicError](err); ok || ctx.Err() != nil {
		return err
	}
	return status.Forbidden(a.res.GR, cmp.Or(a.name, unknownName), err.Error()).WithCause(err)
}

// mutated returns what may stay of the changes that hooks have made to an object: the rest of it is the server's.
func (res *Resource) mutated(obj, before doc.Value, part Part) doc.Value {
	obj, _ = res.Schema.Prune(obj)
	if part != MainPart {
		return res.restored(part, obj, before)
	}
	m, was := objectmeta.Of(obj), objectmeta.Of(before)
	if m.Kind() != doc.Map {
		m = was
	}
	changes := make([]doc.Member, 0, 10) // sorted
	for _, field := range []string{objectmeta.CreationTimestamp, objectmeta.GracePeriod, objectmeta.DeletionTimestamp, objectmeta.Generation, objectmeta.ManagedFields, objectmeta.Name,
		objectmeta.Namespace, objectmeta.ResourceVersion, objectmeta.SelfLink, objectmeta.UID} {
		changes = append(changes, doc.Member{Key: field, Value: was.Get(field)})
	}
	return res.restored(part, res.WithKind(obj).With("metadata", m.WithAll(changes)), before)
}
