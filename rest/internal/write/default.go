package write

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// setDefaults defaults the object that the client sent.
func (w *Write) setDefaults(ctx context.Context) (err error) {
	w.draft.defaulted, err = w.defaulted(ctx, w.draft.sent, w.draft.now)
	w.draft.asked = w.draft.now
	return err
}

// prepare restores what the kind's strategy still restores, runs the host's Prepare hook and keeps the changes that the
// hook may make.
func (w *Write) prepare(ctx context.Context) error {
	if keep := w.res.Strategy.Prepare; keep != nil {
		if err := w.defaultAgain(ctx, keep(w.draft.now, w.before.shown, w.Part())); err != nil {
			return err
		}
	}
	if !w.res.GoType.SetHooks().Prepare {
		return nil
	}
	before, err := typedOld(w.res, w.before.shown)
	if err != nil {
		return err
	}
	now, typed := w.draft.now, w.draft.typed
	changed, err := w.res.ChangeTyped(now, typed, func() error { return w.res.GoType.RunPrepare(ctx, typed, before) })
	if err != nil {
		return err
	}
	prepared := mutated(w.res, changed, now, w.Part())
	if w.before.shown.IsAbsent() || w.res.Dialect.StatusPrepared && w.Part() == resource.MainPart { // the hook may set what a client may not
		prepared = prepared.With("status", changed.Get("status"))
	}
	return w.defaultAgain(ctx, prepared)
}

// defaultAgain defaults the object again if a hook changed it.
func (w *Write) defaultAgain(ctx context.Context, changed doc.Value) (err error) {
	if doc.Equal(changed, w.draft.now) {
		return nil
	}
	s, now := w.res.Schema, w.draft.now
	w.draft.defaulted, err = w.defaulted(ctx, s.Merge(w.draft.sent, now, changed), s.Merge(w.draft.wanted, now, changed))
	return err
}

// defaulted defaults an object by the rules of the write. sent is the object without any default.
func (w *Write) defaulted(ctx context.Context, sent, obj doc.Value) (defaulted, error) {
	by := defaulting{
		res: w.res, old: w.before.shown, part: w.Part(), limit: maxDefaults(w.res, w.before.record),
		nulls: w.way == applied && w.res.Dialect.AppliedNullsOwned,
	}
	out, err := by.object(ctx, sent, obj)
	if unfit, ok := errors.AsType[*unfit](err); ok {
		return defaulted{}, w.refuseUnfit(ctx, sent, unfit)
	}
	return out, err
}

// refuseUnfit returns the error for an object that does not fit its type. The error depends on the dialect and on the
// way in which the client says what it wants.
func (w *Write) refuseUnfit(ctx context.Context, sent doc.Value, u *unfit) error {
	switch {
	case u.undecodable != nil:
		return w.undecodable(u.obj, u.undecodable)
	case len(u.types) > 0 && !w.res.Dialect.TypeErrorsInvalid:
		return w.wrongType(sent, u.types)
	}
	return w.illTyped(ctx, u.obj, u.types)
}

// illTyped returns the error for an object with values of wrong types. It also lists everything else that is wrong with
// the object.
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

// defaulting says how to default an object. It has no state.
type defaulting struct {
	res   *resource.Resource
	old   doc.Value     // the object before the write; absent on create
	part  resource.Part // the part that the write may change
	limit int           // the most bytes of the object with its defaults
	nulls bool          // the nulls of an applied configuration are values, which have a wrong type
}

// unfit is the error of an object that does not fit its type.
type unfit struct {
	obj doc.Value
	// undecodable is the error of Go's decoder. If it is nil, types are the values of wrong types.
	undecodable error
	types       status.FieldErrors
}

func (u *unfit) Error() string {
	if u.undecodable != nil {
		return u.undecodable.Error()
	}
	return u.types.Error()
}

// object defaults an object by its schema and by the host's Default hook, and checks the types of its values. In the
// built-in dialect the object passes through its Go type, see passThroughType. sent is the object without any default.
func (d defaulting) object(ctx context.Context, sent, obj doc.Value) (defaulted, error) {
	obj, err := d.bySchema(obj)
	if err != nil {
		return defaulted{}, err
	}
	errs := d.res.Schema.CheckTypes(nil, obj)
	if len(errs) > 0 { // most writes have none, so compare with the old object only then
		errs = d.res.Schema.CheckTypesRatcheted(nil, obj, d.old)
	}
	reported := obj
	if d.nulls {
		reported = withAskedNulls(obj, sent)
	}
	if len(errs) > 0 || reported != obj {
		return defaulted{}, &unfit{obj: reported, types: errs}
	}
	if d.res.Dialect.GoWritten {
		return d.passThroughType(ctx, sent, obj)
	}
	return d.showToHooks(ctx, sent, obj)
}

// bySchema defaults an object by the schema. In a version that does not default what it shows, the old object may lack
// defaults, so there it defaults only the part of the object that the write may change.
func (d defaulting) bySchema(obj doc.Value) (doc.Value, error) {
	res := d.res
	v, err := defaultWithin(res, res.Schema, obj, d.limit)
	switch {
	case err != nil && d.isStoredBare():
		return obj, nil
	case err != nil, res == res.Stored || res.Dialect.ShownDefaulted:
		return v, err
	case d.part == resource.StatusPart:
		return obj.With("status", v.Get("status")), nil
	case res.HasStatus():
		return v.With("status", obj.Get("status")), nil
	}
	return v, nil
}

// isStoredBare reports whether the old object lacks defaults because they would make it too large. A definition can get
// such defaults after its objects are stored. Their finalizers must still be removable, so writes leave them without
// these defaults.
func (d defaulting) isStoredBare() bool {
	if d.old.IsAbsent() {
		return false
	}
	_, ok := d.res.Schema.DefaultWithin(d.old, d.res.MaxDefaults())
	return !ok
}

// maxDefaults returns the size in bytes up to which defaults may enlarge an object. An object that is already too large
// may shrink.
func maxDefaults(res *resource.Resource, old *storage.Record) int {
	if old == nil {
		return res.MaxDefaults()
	}
	return max(res.MaxDefaults(), old.Len())
}

// defaultWithin defaults a document of the object or of its subresource. It refuses a document that its defaults alone
// make too large for an object, before anything encodes them.
func defaultWithin(res *resource.Resource, s *schema.Schema, v doc.Value, limit int) (doc.Value, error) {
	full, ok := s.DefaultWithin(v, limit)
	if !ok {
		return doc.Value{}, tooLarge(res)
	}
	return full, nil
}

// showToHooks runs the hooks Default and Canonicalize on an object of a custom kind. It decodes the object into its Go
// type only for a hook.
func (d defaulting) showToHooks(ctx context.Context, sent, obj doc.Value) (out defaulted, err error) {
	if obj, err = writeMetadata(d.res, obj); err != nil {
		return out, &unfit{obj: obj, undecodable: err}
	}
	out = defaulted{now: obj, wanted: obj}
	hooks := d.res.GoType.SetHooks()
	if !hooks.Typed() && !d.res.Kind.Virtual {
		return out, nil
	}
	if out.typed, err = d.res.FromDocument(obj); err != nil {
		return out, &unfit{obj: obj, undecodable: err}
	}
	if !hooks.Defaults && !hooks.Canonicalize {
		return out, nil
	}
	after, err := completedByHooks(ctx, d.res, sent, obj, out.typed)
	if err != nil {
		return out, err
	}
	full, err := defaultWithin(d.res, d.res.Schema, after, d.limit) // values that the hook added may have defaults inside
	if err != nil {
		return out, err
	}
	if full != after {
		out.typed, err = d.res.FromDocument(full)
	}
	out.now, out.wanted = full, full
	return out, err
}

// passThroughType decodes an object of a built-in kind into its Go type, runs the hooks Default and Canonicalize, and
// encodes the object again. So null, omitempty and types with their own encodings come out as Go writes them. If no hook
// needs the Go type, a document that already has that form is not decoded. The result's member wanted keeps the object
// as the client and the hook want it, so a required field that Go wrote as a zero value is still missing there.
func (d defaulting) passThroughType(ctx context.Context, sent, obj doc.Value) (out defaulted, err error) {
	hooks := d.res.GoType.SetHooks()
	out = defaulted{now: obj, wanted: obj}
	if !hooks.Typed() && !d.res.Kind.Virtual && d.res.TypeView.Holds(obj) {
		return out, nil
	}
	if out.typed, err = d.res.FromDocument(obj); err != nil {
		return out, &unfit{obj: obj, undecodable: err}
	}
	if out.now, err = d.res.ToDocument(out.typed, obj); err != nil {
		return out, err
	}
	out.now = d.res.WithKind(out.now)
	if !hooks.Defaults && !hooks.Canonicalize {
		return out, nil
	}
	before := out.now
	if out.now, err = completedByHooks(ctx, d.res, sent, before, out.typed); err != nil {
		return out, err
	}
	out.wanted = d.res.Schema.Merge(out.wanted, before, out.now)
	return out, nil
}

// completedByHooks runs the hooks Default and Canonicalize, if the host has set them, and returns the changed object.
// typed is obj in its Go type.
func completedByHooks(ctx context.Context, res *resource.Resource, sent, obj doc.Value,
	typed any) (doc.Value, error) {
	hooks, err := res.GoType.SetHooks(), error(nil)
	if hooks.Defaults {
		obj, err = defaultByHook(ctx, res, sent, obj, typed)
	}
	if hooks.Canonicalize && err == nil {
		obj, err = res.ChangeTyped(obj, typed, func() error { return res.GoType.RunCanonicalize(ctx, typed) })
	}
	return obj, err
}

// defaultByHook runs the Default hook and returns the changed object. It refuses a hook that changes what the client
// set. typed is obj in its Go type.
func defaultByHook(ctx context.Context, res *resource.Resource, sent, obj doc.Value, typed any) (doc.Value, error) {
	out, err := res.ChangeTyped(obj, typed, func() error { return res.GoType.RunDefault(ctx, typed) })
	if err != nil || out == obj {
		return out, err
	}
	if path, ok := overridden(res, res.Schema, sent, obj, out); ok {
		return doc.Value{}, status.InternalError(
			fmt.Errorf("the Default hook of %s changed %q, which the client had set", res.GVK.GroupKind(), path))
	}
	return out, nil
}

// overridden returns the path of a value that the client sent and that differs between before and after. A value that
// before lacks does not count: the Go type omits it like a value that was never sent. Nor does a zero that the Go type
// writes, because a client with this type cannot omit it. A hook may add fields to the elements of a list. It may also
// add elements to a list that merges by their identities, as long as the client's elements keep their order. The
// elements of another list are compared by their places. s is the schema of the values, or nil.
func overridden(res *resource.Resource, s *schema.Schema, sent, before, after doc.Value) (string, bool) {
	if sent.IsNull() || before.IsAbsent() || res.Dialect.GoWritten && isZero(before) {
		return "", false
	}
	switch k := before.Kind(); {
	case k != sent.Kind() || k != after.Kind():
	case k == doc.Map:
		for key, value := range sent.Members() {
			if path, ok := overridden(res, s.Member(key), value, before.Get(key), after.Get(key)); ok {
				return strings.TrimSuffix(key+"."+path, "."), true
			}
		}
		return "", false
	case k == doc.List && before.Len() == sent.Len() && (before.Len() == after.Len() || s.Merges()):
		return overriddenElement(res, s, sent, before, after)
	}
	return "", !doc.Equal(before, after)
}

// overriddenElement is overridden for the elements of a list.
func overriddenElement(res *resource.Resource, s *schema.Schema, sent, before, after doc.Value) (string, bool) {
	at := 0
	for i, element := range before.Elements() {
		if s.Merges() {
			if at = s.Find(after, element, at); at < 0 {
				return strconv.Itoa(i), true
			}
		}
		if path, ok := overridden(res, s.At("[]"), sent.At(i), element, after.At(at)); ok {
			return strings.TrimSuffix(strconv.Itoa(i)+"."+path, "."), true
		}
		at++
	}
	return "", false
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

// typedOld decodes the old object into its Go type, for a hook. On create, it returns nil.
func typedOld(res *resource.Resource, old doc.Value) (any, error) {
	if old.IsAbsent() {
		return nil, nil
	}
	before, err := res.FromDocument(old)
	if err != nil {
		return nil, fmt.Errorf("stored object: %w", err)
	}
	return before, nil
}

// writeMetadata returns obj with its metadata as Go writes it, because upstream encodes the metadata of every kind with
// Go.
func writeMetadata(res *resource.Resource, obj doc.Value) (doc.Value, error) {
	m := objectmeta.Of(obj)
	written, err := res.TypeView.Member("metadata").Show(m)
	if err != nil || written == m {
		return obj, err
	}
	return obj.With("metadata", written), nil
}
