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
	"github.com/decorum-go/decorum/storage"
)

// admittedWrite is a write as the admission hooks are told of it.
type admittedWrite struct {
	res             *Resource
	operation       operation
	subresource     string
	kind            apimeta.GroupVersionKind
	namespace, name string
	schema          *schema.Schema // of the kind
	old             forms          // of a subresource with a kind of its own there is but one
	options         any
	o               *WriteOptions
	// base is what the object was when both its forms were last known: old, or what a hook has made of the stored form. In it
	// is what the version of the request has no words for.
	base forms
	// known are the forms of an object that a hook has asked for.
	known forms
}

// writeOf describes a create or an update of an object, or of a part of it.
func (res *Resource) writeOf(obj doc.Value, old forms, o *WriteOptions) *admittedWrite {
	if len(res.hooks) == 0 || o.admitted {
		return nil
	}
	m := objectmeta.Of(obj)
	w := &admittedWrite{res: res, operation: updateOperation, subresource: o.part.subresource(), kind: res.Stored.GVK, schema: res.Schema,
		namespace: m.Get(objectmeta.Namespace).Text(), name: m.Get(objectmeta.Name).Text(), old: old, base: old, o: o}
	if old.shown.IsAbsent() {
		w.operation = createOperation
	}
	w.options = o.forAdmission(w.operation)
	return w.orNone()
}

// writeOfSubresource describes a write to a subresource that has a kind of its own. An absent old is a POST.
func (res *Resource) writeOfSubresource(sub *Subresource, namespace, name string, old doc.Value, o *WriteOptions) *admittedWrite {
	if len(res.hooks) == 0 {
		return nil
	}
	w := &admittedWrite{res: res, operation: updateOperation, subresource: sub.Name, kind: sub.Kind, schema: sub.Schema,
		namespace: namespace, name: name, old: forms{old, old}, o: o}
	if old.IsAbsent() {
		w.operation = createOperation
	}
	w.options = o.forAdmission(w.operation)
	return w.orNone()
}

// admitToSubresource lets the hooks change and judge what a client writes to a subresource that has a kind of its own.
func (res *Resource) admitToSubresource(ctx context.Context, sub *Subresource, parent, v, shown doc.Value, o *WriteOptions) (doc.Value, error) {
	m := objectmeta.Of(parent)
	write := res.writeOfSubresource(sub, m.Get(objectmeta.Namespace).Text(), m.Get(objectmeta.Name).Text(), shown, o)
	if write == nil {
		return v, nil
	}
	changed, err := write.mutate(ctx, v)
	if err != nil {
		return doc.Value{}, err
	}
	if !doc.Equal(changed, v) {
		if changed, err = sub.check(sub.named(changed, doc.Value{}), &WriteOptions{Validation: ValidationIgnore}); err != nil {
			return doc.Value{}, err
		}
		rv := objectmeta.Of(v).Get(objectmeta.ResourceVersion) // the precondition is the client's
		if !rv.IsAbsent() || objectmeta.Of(changed).Has(objectmeta.ResourceVersion) {
			changed = changed.WithAt(rv, "metadata", objectmeta.ResourceVersion)
		}
	}
	return changed, write.validate(ctx, forms{changed, changed})
}

// admitDelete asks the hooks whether an object, given as it is stored, may be deleted.
func (res *Resource) admitDelete(ctx context.Context, key storage.Key, old doc.Value, options apimeta.DeleteOptions, o *WriteOptions) error {
	if len(res.hooks) == 0 {
		return nil
	}
	w := &admittedWrite{res: res, operation: deleteOperation, kind: res.Stored.GVK, schema: res.Schema, namespace: key.Namespace, name: key.Name,
		old: forms{stored: old}, options: &options, o: o}
	if w = w.orNone(); w == nil {
		return nil
	}
	if _, err := w.mutate(ctx, doc.Value{}); err != nil {
		return err
	}
	return w.validate(ctx, forms{})
}

// AdmitConnect lets the hooks change and judge the options with which a client connects to a stream of an object.
func (res *Resource) AdmitConnect(ctx context.Context, sub *Subresource, parent, options doc.Value, o *WriteOptions) (doc.Value, error) {
	if len(res.hooks) == 0 {
		return options, nil
	}
	m := objectmeta.Of(parent)
	w := &admittedWrite{res: res, operation: connectOperation, subresource: sub.Name, kind: sub.Kind, schema: sub.Stream.Options,
		namespace: m.Get(objectmeta.Namespace).Text(), name: m.Get(objectmeta.Name).Text(), o: o}
	if w = w.orNone(); w == nil {
		return options, nil
	}
	options = options.With("apiVersion", doc.Of(sub.Kind.GroupVersion().String())).With("kind", doc.Of(sub.Kind.Kind))
	changed, err := w.mutate(ctx, options)
	if err != nil {
		return doc.Value{}, err
	}
	if err := w.validate(ctx, forms{changed, changed}); err != nil {
		return doc.Value{}, err
	}
	return CheckOptions(sub.Stream.Options, changed.Without("apiVersion", "kind"))
}

// orNone is nil where no hook sees the write.
func (w *admittedWrite) orNone() *admittedWrite {
	if slices.ContainsFunc(w.res.hooks, func(h *Hook) bool { return h.sees(w.res, w.subresource, w.operation) }) {
		return w
	}
	return nil
}

// forAdmission are the options as the client's request has them.
func (o *WriteOptions) forAdmission(op operation) any {
	var dryRun []string
	if o.DryRun {
		dryRun = []string{apimeta.DryRunAll}
	}
	switch {
	case o.applied:
		return &apimeta.PatchOptions{DryRun: dryRun, FieldManager: o.Manager, FieldValidation: string(o.Validation), Force: &o.Force}
	case o.FromPatch:
		return &apimeta.PatchOptions{DryRun: dryRun, FieldManager: o.Manager, FieldValidation: string(o.Validation)}
	case op == createOperation:
		return &apimeta.CreateOptions{DryRun: dryRun, FieldManager: o.Manager, FieldValidation: string(o.Validation)}
	}
	return &apimeta.UpdateOptions{DryRun: dryRun, FieldManager: o.Manager, FieldValidation: string(o.Validation)}
}

// subresource is the name under which a part of an object is written; the object itself has none.
func (p Part) subresource() string {
	switch p {
	case StatusPart:
		return "status"
	case finalizePart:
		return "finalize"
	}
	return ""
}

// mutate lets the hooks change an object. Those that ran before another changed it run once more.
func (w *admittedWrite) mutate(ctx context.Context, obj doc.Value) (doc.Value, error) {
	if w == nil {
		return obj, nil
	}
	var hooks []*Hook
	for _, h := range w.res.hooks {
		if h.Mutate != nil && h.sees(w.res, w.subresource, w.operation) {
			hooks = append(hooks, h)
		}
	}
	left := make([]forms, len(hooks)) // the object as each hook has left it
	for round := range 2 {
		for i, h := range hooks {
			if round > 0 && doc.Equal(left[i].shown, obj) && doc.Equal(left[i].stored, w.base.stored) {
				continue
			}
			var err error
			if obj, err = w.call(ctx, h, "Mutate", h.Mutate, obj); err != nil {
				return doc.Value{}, err
			}
			left[i] = forms{obj, w.base.stored}
		}
	}
	return obj, nil
}

// validate asks the hooks about an object as it would be stored.
func (w *admittedWrite) validate(ctx context.Context, obj forms) error {
	if w == nil {
		return nil
	}
	w.known = obj
	for _, h := range w.res.hooks {
		if h.Validate == nil || !h.sees(w.res, w.subresource, w.operation) {
			continue
		}
		if _, err := w.call(ctx, h, "Validate", h.Validate, obj.shown); err != nil {
			return err
		}
	}
	return nil
}

// call runs one hook and returns the object as it leaves it.
func (w *admittedWrite) call(ctx context.Context, h *Hook, what string, f func(context.Context, *Review) error, obj doc.Value) (doc.Value, error) {
	if w.o.DryRun && !h.RunsDry {
		return doc.Value{}, status.BadRequest(`admission webhook "` + h.Name + `" does not support dry run`)
	}
	r := &Review{write: w, object: obj, mutable: what == "Mutate"}
	err := func() (err error) {
		defer RecoverHook(what+" of "+h.Name, &err)
		return f(ctx, r)
	}()
	if err != nil {
		return doc.Value{}, w.refusal(ctx, err)
	}
	return r.object, nil
}

// refusal is what a client gets for an error of a hook.
func (w *admittedWrite) refusal(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*status.Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*PanicError](err); ok || ctx.Err() != nil {
		return err
	}
	return status.Forbidden(w.res.GR, cmp.Or(w.name, unknownName), err.Error()).WithCause(err)
}

// mutated returns what may stay of the changes that hooks have made to an object: the rest of it is the server's.
func (res *Resource) mutated(obj, before doc.Value, which Part) doc.Value {
	obj, _ = res.Schema.Prune(obj)
	if which != MainPart {
		return res.take(which, obj, before)
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
	return res.take(which, res.WithKind(obj).With("metadata", m.WithAll(changes)), before)
}
