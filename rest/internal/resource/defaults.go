package resource

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// setDefaults settles the object that the client sent.
func (w *Write) setDefaults(ctx context.Context) error { return w.settle(ctx, w.sent, w.obj) }

// prepare runs the host's Prepare hook and keeps the changes that the hook may make.
func (w *Write) prepare(ctx context.Context) error {
	if !w.res.GoType.SetHooks().Prepare {
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
	if w.old.shown.IsAbsent() || w.res.Dialect.StatusPrepared && w.part() == MainPart { // the hook may set what a client may not
		prepared = prepared.With("status", changed.Get("status"))
	}
	return w.resettle(ctx, prepared)
}

// resettle settles the object again if a hook changed it.
func (w *Write) resettle(ctx context.Context, changed doc.Value) error {
	if doc.Equal(changed, w.obj) {
		return nil
	}
	s := w.res.Schema
	return w.settle(ctx, s.Merge(w.sent, w.obj, changed), s.Merge(w.wanted, w.obj, changed))
}

// settle defaults an object by its schema and by the host's Default hook, and checks the types of its values. In the built-in dialect the
// object passes through its Go type, see [Write.passThroughType]. sent is the object without any default.
func (w *Write) settle(ctx context.Context, sent, obj doc.Value) error {
	obj = w.defaulted(obj)
	errs := w.res.Schema.CheckTypes(nil, obj)
	if len(errs) > 0 { // most writes have none, so compare with the old object only then
		errs = w.res.Schema.CheckTypesRatcheted(nil, obj, w.old.shown)
	}
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

// defaulted defaults an object by the schema. In a version that does not default what it shows, the old object may lack defaults, so there
// it defaults only the part of the object that the write may change.
func (w *Write) defaulted(obj doc.Value) doc.Value {
	res, v := w.res, w.res.Schema.Default(obj)
	switch {
	case res == res.Stored || res.Dialect.ShownDefaulted:
		return v
	case w.part() == StatusPart:
		return obj.With("status", v.Get("status"))
	case res.HasStatus():
		return v.With("status", obj.Get("status"))
	}
	return v
}

// illTyped returns the error for an object with values of wrong types. It also lists everything else that is wrong with the object.
func (w *Write) illTyped(ctx context.Context, obj doc.Value, errs status.FieldErrors) error {
	if all := w.checkRules(obj, (*schema.Schema).CheckTypesAndRules); len(all) > 0 {
		errs = all
	}
	unchecked, err := w.checkByRules(ctx, obj, errs) // rules do not run on values of a wrong type; checkByRules reports that it skipped them
	if err != nil {
		return err
	}
	return w.invalid(obj, append(errs, unchecked...))
}

// showToHooks runs the Default hook on an object of a custom kind. It decodes the object into its Go type only if a hook needs that.
func (w *Write) showToHooks(ctx context.Context, sent, obj doc.Value) (err error) {
	if obj, err = w.res.writeMetadata(obj); err != nil {
		return w.undecodable(obj, err)
	}
	w.obj, w.wanted, w.typed = obj, obj, nil
	hooks := w.res.GoType.SetHooks()
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
	if full := w.res.Schema.Default(out); full != out { // values that the hook added may have defaults inside
		out = full
		w.typed, err = w.res.GoType.FromDocument(out)
	}
	w.obj, w.wanted = out, out
	return err
}

// passThroughType decodes an object of a built-in kind into its Go type, runs the Default hook, and encodes the object again. So null,
// omitempty and types with their own encodings come out as Go writes them. If the document already has that form, it is decoded only for
// a hook that needs it. wanted keeps the object as the client and the hook want it: there, a required field is still missing that Go has
// written as a zero value.
func (w *Write) passThroughType(ctx context.Context, sent, obj doc.Value) (err error) {
	hooks, held := w.res.GoType.SetHooks(), w.res.view.Holds(obj)
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

// defaultByHook runs the Default hook and returns the changed object. It refuses a hook that changes what the client set.
func (w *Write) defaultByHook(ctx context.Context, sent, obj doc.Value) (doc.Value, error) {
	out, err := w.res.ChangeTyped(obj, w.typed, func() error { return w.res.GoType.RunDefault(ctx, w.typed) })
	if err != nil {
		return doc.Value{}, err
	}
	if path, ok := w.res.overridden(sent, obj, out); ok {
		return doc.Value{}, status.InternalError(fmt.Errorf("the Default hook of %s changed %q, which the client had set", w.res.GVK.GroupKind(), path))
	}
	return out, nil
}

// overridden returns the path of a value that the client sent and that differs between before and after. A value that before lacks does
// not count: the Go type omits it like a value that was never sent. Nor does a zero that the Go type writes, because a client with this
// type cannot omit it. The elements of a list are compared by their places, so a hook may add fields to them.
func (res *Resource) overridden(sent, before, after doc.Value) (string, bool) {
	if sent.IsNull() || before.IsAbsent() || res.Dialect.GoWritten && isZero(before) {
		return "", false
	}
	switch k := before.Kind(); {
	case k != sent.Kind() || k != after.Kind():
	case k == doc.Map:
		for key, value := range sent.Members() {
			if path, ok := res.overridden(value, before.Get(key), after.Get(key)); ok {
				return strings.TrimSuffix(key+"."+path, "."), true
			}
		}
		return "", false
	case k == doc.List && before.Len() == sent.Len() && before.Len() == after.Len():
		for i := range before.Len() {
			if path, ok := res.overridden(sent.At(i), before.At(i), after.At(i)); ok {
				return strings.TrimSuffix(strconv.Itoa(i)+"."+path, "."), true
			}
		}
		return "", false
	}
	return "", !doc.Equal(before, after)
}

// isZero reports whether v is false, 0, "" or an empty list.
func isZero(v doc.Value) bool {
	switch v.Kind() {
	case doc.Bool:
		return !v.Bool()
	case doc.Number:
		f, ok := v.Float()
		return ok && f == 0
	case doc.String:
		return v.Text() == ""
	case doc.List:
		return v.Len() == 0
	}
	return false
}

// typedOld decodes the old object for a hook. It returns nil if there is no old object.
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

// WithKind sets the apiVersion and kind of a document that came from a Go type, which may lack these fields.
func (res *Resource) WithKind(obj doc.Value) doc.Value {
	return obj.With("apiVersion", doc.Of(res.GVK.GroupVersion().String())).With("kind", doc.Of(res.GVK.Kind))
}
