package resource

import (
	"context"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// setDefaults is settle for what the client has sent.
func (w *Write) setDefaults(ctx context.Context) error { return w.settle(ctx, w.sent, w.obj) }

// prepare runs the host's Prepare hook on the object, and keeps what may stay of its changes.
func (w *Write) prepare(ctx context.Context) error {
	if !w.res.GoType.Hooks().Prepare {
		return nil
	}
	before, err := w.res.typedOld(w.old.shown)
	if err != nil {
		return err
	}
	changed, err := w.res.ChangeTyped(w.obj, w.typed, func() error { return w.res.GoType.RunPrepare(ctx, w.typed, before) })
	if err != nil {
		return err
	}
	prepared := w.res.mutated(changed, w.obj, w.part())
	if w.old.shown.IsAbsent() { // its first status is the hook's to give
		prepared = prepared.With("status", changed.Get("status"))
	}
	return w.resettle(ctx, prepared)
}

// resettle is settle for an object that a hook has changed.
func (w *Write) resettle(ctx context.Context, changed doc.Value) error {
	if doc.Equal(changed, w.obj) {
		return nil
	}
	s := w.res.Schema
	return w.settle(ctx, s.Merge(w.sent, w.obj, changed), s.Merge(w.wanted, w.obj, changed))
}

// settle defaults an object, by its schema and by the host's hook, and checks the types of its values. Objects of built-in
// kinds pass through their Go type, see [Write.passThroughType]. sent is the object without any default.
func (w *Write) settle(ctx context.Context, sent, obj doc.Value) error {
	obj = w.res.Schema.Default(obj)
	errs := w.res.Schema.CheckTypes(nil, obj)
	if len(errs) > 0 && !w.res.Dialect.TypeErrorsInvalid {
		return w.wrongType(sent, errs)
	}
	asked := obj
	if w.form == applied && w.res.Dialect.AppliedNullsOwned {
		asked = withAskedNulls(obj, sent)
	}
	if len(errs) > 0 || asked != obj {
		return w.illTyped(ctx, asked, errs)
	}
	if w.res.Dialect.GoWritten {
		return w.passThroughType(ctx, sent, obj)
	}
	return w.showToHooks(ctx, sent, obj)
}

// illTyped is the answer to an object with values of wrong types, and everything else that is wrong with it.
func (w *Write) illTyped(ctx context.Context, obj doc.Value, errs status.FieldErrors) error {
	if all := w.checkRules(obj, (*schema.Schema).CheckTypesAndRules); len(all) > 0 {
		errs = all
	}
	unchecked, err := w.checkByRules(ctx, obj, errs) // not on values of a wrong type: it says that it has not
	if err != nil {
		return err
	}
	return w.invalid(obj, append(errs, unchecked...))
}

// showToHooks runs the defaulting hook on an object of a custom kind, and decodes it into its Go type if a hook wants to see that.
func (w *Write) showToHooks(ctx context.Context, sent, obj doc.Value) (err error) {
	if obj, err = w.res.writeMetadata(obj); err != nil {
		return w.undecodable(obj, err)
	}
	w.obj, w.wanted, w.typed = obj, obj, nil
	hooks := w.res.GoType.Hooks()
	if !hooks.Defaults && !hooks.Prepare && !hooks.Validate && !w.res.Kind.Virtual {
		return nil
	}
	if w.typed, err = w.res.GoType.FromDocument(obj); err != nil {
		return w.undecodable(obj, err)
	}
	if !hooks.Defaults {
		return nil
	}
	out, err := w.defaultByHook(ctx, sent, obj)
	if err != nil {
		return err
	}
	if full := w.res.Schema.Default(out); full != out { // what the hook has added has defaults of its own
		out = full
		w.typed, err = w.res.GoType.FromDocument(out)
	}
	w.obj, w.wanted = out, out
	return err
}

// passThroughType decodes an object of a built-in kind into its type, runs the defaulting hook and encodes it again, so that
// null, omitempty and types with encodings of their own come out as Go writes them. A document that is so already goes
// past the type, unless a hook wants to see it. What the client and the hook wanted is kept besides: in it a required field
// is still missing that Go has written as a zero value.
func (w *Write) passThroughType(ctx context.Context, sent, obj doc.Value) (err error) {
	hooks, held := w.res.GoType.Hooks(), w.res.view.Holds(obj)
	w.obj, w.wanted, w.typed = obj, obj, nil
	if held && !hooks.Defaults && !hooks.Prepare && !hooks.Validate && !w.res.Kind.Virtual {
		return nil
	}
	if w.typed, err = w.res.GoType.FromDocument(obj); err != nil {
		return w.undecodable(obj, err)
	}
	if !held {
		if w.obj, err = w.res.GoType.ToDocument(w.typed); err != nil {
			return err
		}
		w.obj = w.res.WithKind(w.obj)
	}
	if !hooks.Defaults {
		return nil
	}
	before := w.obj
	if w.obj, err = w.defaultByHook(ctx, sent, before); err != nil {
		return err
	}
	w.wanted = w.res.Schema.Merge(w.wanted, before, w.obj)
	return nil
}

// defaultByHook runs the defaulting hook on the object, and returns it as it is then.
func (w *Write) defaultByHook(ctx context.Context, sent, obj doc.Value) (doc.Value, error) {
	out, err := w.res.ChangeTyped(obj, w.typed, func() error { return w.res.GoType.RunDefault(ctx, w.typed) })
	if err != nil {
		return doc.Value{}, err
	}
	if path, ok := overridden(sent, obj, out); ok {
		return doc.Value{}, status.InternalError(fmt.Errorf("the Default hook of %s changed %q, which the client had set", w.res.GVK.GroupKind(), path))
	}
	return out, nil
}

// overridden finds a value that the client has sent and that differs between before and after.
func overridden(sent, before, after doc.Value) (string, bool) {
	if sent.IsNull() {
		return "", false
	}
	if sent.Kind() != doc.Map || before.Kind() != doc.Map || after.Kind() != doc.Map {
		return "", !doc.Equal(before, after)
	}
	for key, value := range sent.Members() {
		if path, ok := overridden(value, before.Get(key), after.Get(key)); ok {
			return strings.TrimSuffix(key+"."+path, "."), true
		}
	}
	return "", false
}

// typedOld decodes the object that is to be replaced for a hook; it is nil where there is none.
func (res *Resource) typedOld(old doc.Value) (any, error) {
	if old.IsAbsent() {
		return nil, nil
	}
	before, err := res.GoType.FromDocument(old)
	if err != nil {
		return nil, fmt.Errorf("stored object: %w", err)
	}
	return before, nil
}

// WithKind writes the kind's name into a document that came from a Go type, which need not have the fields for it.
func (res *Resource) WithKind(obj doc.Value) doc.Value {
	return obj.With("apiVersion", doc.Of(res.GVK.GroupVersion().String())).With("kind", doc.Of(res.GVK.Kind))
}
