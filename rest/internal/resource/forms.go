package resource

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// forms are two versions of one object: shown in the version of a request, stored in the stored version. If the request uses the stored
// version, both are the same value.
type forms struct{ shown, stored doc.Value }

// formsOf decodes both forms of a stored object. json is its text in the version of the resource.
func (res *Resource) formsOf(current *storage.Record) (f forms, json []byte, err error) {
	record, err := res.Show(current)
	if err != nil {
		return f, nil, err
	}
	if f.shown, _, err = codec.DecodeJSON(record.JSON); err == nil && res.toStored != nil {
		f.stored, _, err = codec.DecodeJSON(current.JSON)
	} else {
		f.stored = f.shown
	}
	if err != nil {
		return f, nil, fmt.Errorf("stored object %v: %w", current.Key, err)
	}
	return f, record.JSON, nil
}

// withMetadata sets fields of the metadata in both forms. The changes must be sorted by key.
func (f forms) withMetadata(changes ...doc.Member) forms {
	set := func(v doc.Value) doc.Value { return v.With("metadata", objectmeta.Of(v).WithAll(changes)) }
	if f.shown == f.stored {
		v := set(f.shown)
		return forms{v, v}
	}
	return forms{set(f.shown), set(f.stored)}
}

// convertStored converts an object to the stored version and, if the dialect says so, merges it into base. Then only fields that differ
// from base in the version of the request change in the stored object, so a version that cannot express all fields of the stored version
// does not lose them.
func (res *Resource) convertStored(obj doc.Value, base forms) (doc.Value, error) {
	if res.toStored == nil {
		return obj, nil
	}
	v, err := res.toStored(obj)
	if err != nil || base.stored.IsAbsent() || !res.Dialect.FieldsKept {
		return v, err
	}
	before, err := res.toStored(base.shown)
	if err != nil {
		return doc.Value{}, err
	}
	return res.Stored.Schema.Merge(base.stored, before, v), nil
}

// convert converts the object to the stored version, takes it through that version's steps if the dialect says so, and converts the
// result back for the answer.
func (w *Write) convert(ctx context.Context) (err error) {
	obj := w.tracked
	if w.out = (forms{obj, obj}); w.res.toStored == nil {
		return nil
	}
	if w.out.stored, err = w.res.convertStored(obj, w.base); err != nil {
		return err
	}
	if w.res.Dialect.StoredRules {
		if w.out.stored, err = w.held(ctx, w.out.stored); err != nil {
			return err
		}
	}
	if w.out.shown, err = w.res.fromStored(w.out.stored); err != nil {
		return err
	}
	if !doc.Equal(w.out.shown, obj) { // the steps of the stored version changed it, so it has other owners
		w.out.shown = w.withOwners(objectmeta.WithoutManagedFields(w.out.shown))
	}
	return nil
}

// held takes a converted object through the steps of the stored version. Errors and warnings name that version, because the client may
// not know it.
func (w *Write) held(ctx context.Context, v doc.Value) (doc.Value, error) {
	stored, heard := w.res.Stored, Warnings{}
	in := stored.NewWrite(Target{Namespace: w.Namespace, Name: w.Name}, Asked{})
	in.Warnings, in.heldFor = &heard, w.res
	in.old, in.obj, in.tracked = forms{w.old.stored, w.old.stored}, v, v
	in.sent = doc.MapOf() // the Default hook may change all of it, because the client sent none of it in this version
	if w.part() == StatusPart && !stored.desiredStateChanged(v, w.old.stored) {
		// The write stays one of the status. If a field of one version's status lies outside of the other's, it counts as a write of the
		// whole object.
		in.Through = stored.FindSubresource(w.Through.Name)
	}
	if errs := stored.Schema.CheckTypes(nil, v); len(errs) > 0 { // possible if no function of the host converts
		return doc.Value{}, in.invalid(v, errs)
	}
	err := in.take(ctx, inStored)
	for _, text := range heard.Texts[:heard.Always] {
		w.Warnings.addAlways(in.where() + text)
	}
	return in.obj, err
}

// count sets the metadata that both forms share: managedFields and, in an update, the resourceVersion that the write replaces and the
// generation. The generation rises if either form changed outside of metadata and status (API conventions, Metadata).
func (w *Write) count(context.Context) error {
	if w.res.toStored == nil && w.old.shown.IsAbsent() {
		return nil
	}
	m := objectmeta.Of(w.out.shown)
	generation, rv := m.Get(objectmeta.Generation), m.Get(objectmeta.ResourceVersion)
	if old := w.old; !old.shown.IsAbsent() {
		generation, rv = objectmeta.Of(old.shown).Get(objectmeta.Generation), objectmeta.Of(old.shown).Get(objectmeta.ResourceVersion)
		if w.res.Dialect.Generation && (w.counts(w.out.shown, old.shown) || w.res.toStored != nil && w.res.Stored.desiredStateChanged(w.out.stored, old.stored)) {
			n, _ := generation.Int()
			generation = doc.OfInt(n + 1)
		}
	}
	w.out = w.out.withMetadata( // sorted
		doc.Member{Key: objectmeta.Generation, Value: generation},
		doc.Member{Key: objectmeta.ManagedFields, Value: m.Get(objectmeta.ManagedFields)},
		doc.Member{Key: objectmeta.ResourceVersion, Value: rv},
	)
	return nil
}

// counts reports whether the write of obj over old raises the generation.
func (w *Write) counts(obj, old doc.Value) bool {
	e, m, was := &w.res.life.except, objectmeta.Of(obj), objectmeta.Of(old)
	if w.part() == MainPart && slices.ContainsFunc(e.Counted, func(f string) bool { return !doc.Equal(m.Get(f), was.Get(f)) }) {
		return true
	}
	for _, path := range e.Uncounted {
		obj = obj.WithAt(old.Lookup(path...), path...)
	}
	return w.res.desiredStateChanged(obj, old)
}

// confine refuses a write whose result the client would not see.
func (w *Write) confine(context.Context) error {
	if w.Only == nil {
		return nil
	}
	parts, err := w.res.extract(codec.AppendObject(nil, w.out.shown))
	if err != nil {
		return err
	}
	name := objectmeta.NameOf(w.out.shown)
	if w.res.admits(w.Only, &storage.Record{Key: w.res.key(w.Namespace, name), Parts: parts}) {
		return nil
	}
	return status.Forbidden(w.res.GR, name, "the object would be outside of the objects to which the rights of the user are restricted")
}

// desiredStateChanged reports whether two objects differ outside of metadata and status. Without the subresource /status, the status is a
// field like any other.
func (res *Resource) desiredStateChanged(obj, old doc.Value) bool {
	outside := []string{"metadata", "apiVersion", "kind", "status"}
	if !res.HasStatus() {
		outside = outside[:3]
	}
	rest := func(v doc.Value) doc.Value { return v.Without(outside...) }
	return !doc.Equal(rest(obj), rest(old))
}

// answer runs the Call hook of a virtual kind, which has no stored objects.
func (w *Write) answer(ctx context.Context) error {
	if !w.res.Kind.Virtual {
		return nil
	}
	answer, err := w.res.ChangeTyped(w.out.shown, w.typed, func() error { return w.res.GoType.RunCall(ctx, w.typed) })
	if err == nil {
		w.result.JSON, w.done = codec.AppendObject(nil, answer), true
	}
	return err
}

// encode encodes the object for the store. If it is being deleted and nothing holds it any more, next stays nil and the store removes the
// object.
func (w *Write) encode(context.Context) error {
	switch {
	case w.deletion != nil:
		switch w.result.Gone = !w.res.held(w.obj); {
		case !w.result.Gone || w.beginsGrace():
			w.next = codec.AppendObject(nil, w.obj)
		case !w.res.life.goesMarked:
			w.obj = w.old.stored // a client never saw the object marked, so the answer shows it unmarked
		}
		return nil
	case w.current == nil && w.claims && !w.Asked.DryRun:
		return status.BadRequest("resourceVersion should not be set on objects to be created")
	case w.current == nil:
		// The store writes the real revision over this guess, in place if it has the same number of digits.
		placeholder := doc.Of(strconv.FormatUint(uint64(w.res.Store.Revision())+1, 10))
		return w.encodeStored(w.out.withMetadata(doc.Member{Key: objectmeta.ResourceVersion, Value: placeholder}))
	}
	w.result.Gone = w.current.Deleting && !w.res.held(w.out.shown)
	if w.result.Gone || w.Asked.DryRun {
		w.result.JSON = codec.AppendObject(nil, w.out.shown)
	}
	if w.result.Gone {
		return nil
	}
	return w.encodeStored(w.out)
}

// encodeStored encodes the object for the store. If the object is too large only with its managedFields, it is stored without them:
// losing the owners is better than refusing the write. An apply is refused, because ownership is what its client asks for.
func (w *Write) encodeStored(obj forms) error {
	before := 0
	if w.current != nil {
		before = len(w.current.JSON)
	}
	w.next = codec.AppendObject(make([]byte, 0, max(before, w.Body.Size)+roomForMetadata), obj.stored)
	err := w.res.checkSize(w.next, before)
	if err != nil && w.form != applied && objectmeta.Of(obj.stored).Has(objectmeta.ManagedFields) {
		obj = obj.withMetadata(doc.Member{Key: objectmeta.ManagedFields})
		w.next = codec.AppendObject(nil, obj.stored)
		err = w.res.checkSize(w.next, before)
	}
	if w.res.fromStored != nil {
		w.shown = obj.shown
	}
	return err
}

// roomForMetadata is about how many bytes a write adds to the client's text or to the old object. It sizes a buffer.
const roomForMetadata = 512

// checkSize refuses a write that makes an object too large. An object that is already too large may shrink.
func (res *Resource) checkSize(json []byte, before int) error {
	if int64(len(json)) <= res.MaxObjectBytes || len(json) <= before {
		return nil
	}
	return status.RequestEntityTooLarge(fmt.Sprintf("limit of an object is %d", res.MaxObjectBytes))
}
