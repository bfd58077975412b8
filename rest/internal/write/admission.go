package write

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// underReview is one write, or one view that a subresource shows, as the admission hooks see it. It is nil if no hook
// sees the write.
type underReview struct {
	*Write
	operation       admission.Operation
	kind            apimeta.GroupVersionKind
	namespace, name string
	schema          *schema.Schema // the schema of kind
	old             forms          // both forms are the same for a subresource with its own kind
	options         admission.Options
	// base is the last pair of forms that match: old, or the result of a hook that worked in another version. Its
	// stored form keeps what the version of the request cannot express.
	base forms
	// known caches the forms of the object that a hook asked for last.
	known forms
	hooks []*admission.Hook // the hooks that see the write
	// memories holds what hooks remember from their first Mutate to their second one.
	memories map[*admission.Hook]*memory
}

// mutate lets the admission hooks change the object, and keeps the changes that a client could have made as well.
func (w *Write) mutate(ctx context.Context) error {
	if w.review = w.reviewed(ctx, w.draft.now); w.review == nil {
		return nil
	}
	changed, err := w.review.mutate(ctx, w.draft.now)
	if err != nil {
		return err
	}
	w.draft.base = w.review.base
	changed = mutated(w.res, changed, w.draft.now, w.Part())
	return w.defaultAgain(ctx, w.dropRepeatedOwners(changed, objectmeta.AfterMutation))
}

// admit lets the admission hooks validate the object as it would be stored, or a deletion.
func (w *Write) admit(ctx context.Context) error {
	if w.deletion != nil {
		return w.admitDelete(ctx)
	}
	return w.review.validate(ctx, w.after.forms)
}

// reviewed returns the admission of a create or update of an object or of a part of it. It is nil if no hook sees the
// write. A write through a subresource with its own kind has been reviewed as a write of that kind, by admitView.
func (w *Write) reviewed(ctx context.Context, obj doc.Value) *underReview {
	if w.ThroughOwnKind() {
		return nil
	}
	operation := operationOn(w.before.shown)
	hooks := w.hooks(ctx, operation)
	if len(hooks) == 0 {
		return nil
	}
	m := objectmeta.Of(obj)
	return &underReview{
		Write: w, hooks: hooks, operation: operation, options: w.optionsOf(operation),
		kind: w.res.Stored.GVK, schema: w.res.Schema,
		namespace: m.Get(objectmeta.Namespace).Text(), name: m.Get(objectmeta.Name).Text(),
		old: w.before.forms, base: w.before.forms,
	}
}

// operationOn returns the operation of a write that is not a deletion.
func operationOn(old doc.Value) admission.Operation {
	if old.IsAbsent() {
		return admission.Create
	}
	return admission.Update
}

// admitView lets the hooks change and validate what a client writes to a subresource with its own kind. If old is
// absent, the request is a POST.
func (w *Write) admitView(ctx context.Context, v, old doc.Value) (doc.Value, error) {
	operation := operationOn(old)
	hooks := w.hooks(ctx, operation)
	if len(hooks) == 0 {
		return v, nil
	}
	a := &underReview{Write: w, hooks: hooks, operation: operation, kind: w.Through.Kind, schema: w.Through.Schema,
		options: w.optionsOf(operation), namespace: w.Namespace, name: w.Name, old: forms{old, old}}
	changed, err := a.mutate(ctx, v)
	if err != nil {
		return doc.Value{}, err
	}
	if !doc.Equal(changed, v) {
		if changed, err = checkComputedView(w.res, w.Through, w.Through.Named(changed, doc.Value{})); err != nil {
			return doc.Value{}, err
		}
		rv := objectmeta.Of(v).Get(objectmeta.ResourceVersion) // a hook may not change the client's precondition
		if !rv.IsAbsent() || objectmeta.Of(changed).Has(objectmeta.ResourceVersion) {
			changed = changed.WithAt(rv, "metadata", objectmeta.ResourceVersion)
		}
	}
	return changed, a.validate(ctx, forms{changed, changed})
}

// admitDelete lets the hooks validate the deletion of the stored object. A mutating hook runs as well, but it has no
// object to change.
func (w *Write) admitDelete(ctx context.Context) error {
	hooks := w.hooks(ctx, admission.Delete)
	if len(hooks) == 0 {
		return nil
	}
	a := &underReview{Write: w, hooks: hooks, operation: admission.Delete, kind: w.res.Stored.GVK, schema: w.res.Schema,
		namespace: w.Namespace, name: w.Name, old: forms{stored: w.before.stored}, options: admission.Options{Delete: w.deletion}}
	if _, err := a.mutate(ctx, doc.Value{}); err != nil {
		return err
	}
	return a.validate(ctx, forms{})
}

// Connect lets the hooks change and validate the options of a client that connects to a stream of the object.
func (w *Write) Connect(ctx context.Context, options doc.Value) (doc.Value, error) {
	sub, ctx := w.Through, In(ctx, w.res.Environment)
	hooks := w.hooks(ctx, admission.Connect)
	if len(hooks) == 0 {
		return options, nil
	}
	a := &underReview{Write: w, hooks: hooks, operation: admission.Connect, kind: sub.Kind, schema: sub.Stream.Options,
		namespace: w.Namespace, name: w.Name}
	options = options.With("apiVersion", doc.Of(sub.Kind.GroupVersion().String())).With("kind", doc.Of(sub.Kind.Kind))
	changed, err := a.mutate(ctx, options)
	if err != nil {
		return doc.Value{}, err
	}
	if err := a.validate(ctx, forms{changed, changed}); err != nil {
		return doc.Value{}, err
	}
	return resource.CheckOptions(sub.Stream.Options, changed.Without("apiVersion", "kind"))
}

// subresource returns the name of the subresource of the request, or "" for the object itself.
func (w *Write) subresource() string {
	if w.Through == nil {
		return ""
	}
	return w.Through.Name
}

// hooks returns the hooks that see the write and are not idle. No hook sees a trusted write.
func (w *Write) hooks(ctx context.Context, op admission.Operation) (hooks []*admission.Hook) {
	if w.Asked.Trusted {
		return nil
	}
	for _, h := range w.writes.hooksOf(w.res) {
		if sees(h, w.res, w.subresource(), op) && !isIdle(ctx, h) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

// optionsOf returns the options of the request, of the type that upstream has for its verb.
func (w *Write) optionsOf(op admission.Operation) admission.Options {
	var dryRun []string
	if w.Asked.DryRun {
		dryRun = []string{apimeta.DryRunAll}
	}
	manager, validation, force := w.Asked.Manager, w.Asked.Validation, w.Asked.Force // a hook may change its copies
	switch {
	case w.way == applied:
		return admission.Options{Patch: &apimeta.PatchOptions{
			DryRun: dryRun, FieldManager: manager, FieldValidation: validation, Force: &force}}
	case w.way == patched:
		return admission.Options{Patch: &apimeta.PatchOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: validation}}
	case op == admission.Create:
		return admission.Options{Create: &apimeta.CreateOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: validation}}
	}
	return admission.Options{Update: &apimeta.UpdateOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: validation}}
}

// mutate lets the hooks change an object. A hook runs a second time if a later hook changed the object, so that it sees
// those changes, or if it asked for that.
func (a *underReview) mutate(ctx context.Context, obj doc.Value) (changed doc.Value, err error) {
	if a == nil {
		return obj, nil
	}
	ctx, ended := a.begin(ctx, observe.StepAdmission, "", true)
	defer func() { ended(observe.StepResult{Err: err}) }()
	left := make([]forms, len(a.hooks)) // the object after each hook
	for round := range 2 {
		for i, h := range a.hooks {
			unchanged := doc.Equal(left[i].shown, obj) && doc.Equal(left[i].stored, a.base.stored)
			if h.Mutate == nil || round > 0 && unchanged && !a.again(h) {
				continue
			}
			if obj, err = a.call(ctx, h, obj, true); err != nil {
				return doc.Value{}, err
			}
			left[i] = forms{obj, a.base.stored}
		}
	}
	return obj, nil
}

// validate runs the validating hooks on an object as it would be stored.
func (a *underReview) validate(ctx context.Context, obj forms) (err error) {
	if a == nil {
		return nil
	}
	ctx, ended := a.begin(ctx, observe.StepAdmission, "", false)
	defer func() { ended(observe.StepResult{Err: err}) }()
	a.known = obj
	for _, h := range a.hooks {
		if h.Validate == nil {
			continue
		}
		if _, err := a.call(ctx, h, obj.shown, false); err != nil {
			return err
		}
	}
	return nil
}

// begin reports the beginning of a step to the observer of the write, if it has one.
func (a *underReview) begin(ctx context.Context, of observe.StepKind, name string,
	mutating bool) (context.Context, func(observe.StepResult)) {
	if a.observer == nil {
		return ctx, observe.Unobserved
	}
	return a.observer.Begin(ctx, observe.Step{Kind: of, Name: name, Operation: a.operation, Mutating: mutating})
}

// call runs Mutate or Validate of one hook, and returns the object after it.
func (a *underReview) call(ctx context.Context, h *admission.Hook, obj doc.Value, mutable bool) (doc.Value, error) {
	if a.Asked.DryRun && !runsDry(h) {
		return doc.Value{}, status.BadRequest(`admission webhook "` + h.Name + `" does not support dry run`)
	}
	ctx, ended := a.begin(ctx, observe.StepHook, h.Name, mutable)
	r := &hookWrite{underReview: a, hook: h, object: obj, mutable: mutable}
	what, f := "Validate", h.Validate
	if mutable {
		what, f = "Mutate", h.Mutate
	}
	err := func() (err error) {
		defer resource.EnterHook(ctx, what+" of "+h.Name).Leave(&err)
		return f(ctx, r.request(ctx))
	}()
	ended(observe.StepResult{Err: err})
	if err != nil {
		return doc.Value{}, a.refusal(ctx, err)
	}
	return r.object, nil
}

// ofStore are the errors of stores without a Status.
var ofStore = []error{storage.ErrNotFound, storage.ErrResource, storage.ErrKey, storage.ErrRevision, storage.ErrJSON,
	storage.ErrContended}

// refusal returns the client's answer to an error of a hook. A Status is the answer itself. A panic, and any error
// after the context has ended, stays an internal error. So does an error of a store that the hook has asked: its text
// is for programs. Every other error is a 403 with the text of the hook.
func (a *underReview) refusal(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*status.Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*resource.PanicError](err); ok || ctx.Err() != nil {
		return err
	}
	if slices.ContainsFunc(ofStore, func(of error) bool { return errors.Is(err, of) }) {
		return status.From(err)
	}
	return status.Forbidden(a.res.GR, cmp.Or(a.name, unknownName), err.Error()).WithCause(err)
}

// mutated returns an object with the changes that hooks may make. The system metadata, and everything outside the part
// that is written, is restored from before.
func mutated(res *resource.Resource, obj, before doc.Value, part resource.Part) doc.Value {
	obj, _ = res.Schema.Prune(obj)
	m, was := objectmeta.Of(obj), objectmeta.Of(before)
	if m.Kind() != doc.Map {
		m = was
	}
	changes := make([]doc.Member, 0, len(objectmeta.Fields))
	for i := range objectmeta.Fields {
		if field := &objectmeta.Fields[i]; field.Fixed {
			changes = append(changes, doc.Member{Key: field.Name, Value: was.Get(field.Name)})
		}
	}
	return restored(res, part, res.WithKind(obj).With("metadata", m.WithAll(changes)), before)
}
