package resource

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// forms are one object in two versions of its kind: as the version of a request shows it, and as it is stored. Both are the
// same in the stored version.
type forms struct{ shown, stored doc.Value }

// formsOf reads the forms of a stored object.
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

// withMetadata sets members of the metadata, sorted, in both forms.
func (f forms) withMetadata(changes ...doc.Member) forms {
	set := func(v doc.Value) doc.Value { return v.With("metadata", objectmeta.Of(v).WithAll(changes)) }
	if f.shown == f.stored {
		v := set(f.shown)
		return forms{v, v}
	}
	return forms{set(f.shown), set(f.stored)}
}

// convertStored converts an object to the stored version. Only what differs from base in the version of the request becomes
// different in the stored object, so that a version that cannot say all that another can loses nothing of it there.
func (res *Resource) convertStored(obj doc.Value, base forms) (doc.Value, error) {
	if res.toStored == nil {
		return obj, nil
	}
	v, err := res.toStored(obj)
	if err != nil || base.stored.IsAbsent() {
		return v, err
	}
	before, err := res.toStored(base.shown)
	if err != nil {
		return doc.Value{}, err
	}
	return res.Stored.Schema.Merge(base.stored, before, v), nil
}

// bothForms converts an object that has been through the rules of its version, holds it to those of the stored version, and
// returns it as it is then. base is what the object was when both its forms were last known; old is absent on create.
func (res *Resource) bothForms(ctx context.Context, obj doc.Value, base, old forms, o *WriteOptions) (f forms, err error) {
	if f = (forms{obj, obj}); res.toStored == nil {
		return f, nil
	}
	if f.stored, err = res.convertStored(obj, base); err != nil {
		return f, err
	}
	if res.Dialect.StoredRules {
		if f.stored, err = res.Stored.hold(ctx, f.stored, old.stored, o); err != nil {
			return f, err
		}
	}
	f.shown, err = res.fromStored(f.stored)
	return f, err
}

// hold defaults, prepares and validates an object in the stored version that was written in another one. Causes and warnings
// name the version, which need not be the one that the client knows.
func (res *Resource) hold(ctx context.Context, v, old doc.Value, o *WriteOptions) (doc.Value, error) {
	heard := Warnings{}
	held := WriteOptions{part: o.part, Warnings: &heard}
	if o.part == StatusPart && desiredStateChanged(v, old) {
		held.part = MainPart // what one version keeps in the status another may keep elsewhere
	}
	v, errs, err := res.holdTo(ctx, v, old, &held)
	if err != nil {
		return doc.Value{}, err
	}
	where := "in " + res.GVK.Version + ": "
	for _, text := range heard.Texts[:heard.Always] {
		o.warnAlways(where + text)
	}
	if len(errs) == 0 {
		return v, nil
	}
	named := make(status.FieldErrors, len(errs))
	for i, e := range errs {
		inVersion := *e
		inVersion.Field = where + e.Field
		named[i] = &inVersion
	}
	return doc.Value{}, status.Invalid(res.GVK.GroupKind(), objectmeta.NameOf(v), named)
}

func (res *Resource) holdTo(ctx context.Context, v, old doc.Value, o *WriteOptions) (doc.Value, status.FieldErrors, error) {
	if errs := res.Schema.CheckTypes(nil, v); len(errs) > 0 { // a conversion by name alone
		return v, errs, nil
	}
	nothing := doc.MapOf() // what the conversion has filled in is not what the client has sent
	s, err := res.settle(ctx, nothing, v, old, o)
	if err == nil {
		s, err = res.readied(ctx, nothing, s, old, o)
	}
	if err != nil {
		return v, nil, err
	}
	errs, err := res.check(ctx, s, s.obj, old, o)
	return s.obj, errs, err
}
