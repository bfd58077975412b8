package rest

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// encodeStored returns what is to be stored of an object that a write has finished, and in another version than the stored
// one the object as it will be shown: what cannot be shown is not stored. current is what it replaces, and old
// how the version shows that; both are missing on create. Where an object is too large with its managedFields, it is stored
// without: to lose who wrote it is better than to lose what was written, unless that is what the client asks for.
func (res *resource) encodeStored(ctx context.Context, obj, old doc.Value, o *writeOptions, current *storage.Record) (next []byte, shown doc.Value, err error) {
	if res.toStored != nil {
		if obj, err = res.convertStored(ctx, obj, old, current); err != nil {
			return nil, shown, err
		}
	}
	before := 0
	if current != nil {
		before = len(current.JSON)
	}
	next = codec.AppendObject(make([]byte, 0, max(before, o.size)+roomForMetadata), obj)
	err = res.checkSize(next, before)
	if err != nil && !o.applied && metadataOf(obj).Has(fieldManagedFields) {
		obj = withoutManagedFields(obj)
		next = codec.AppendObject(nil, obj)
		err = res.checkSize(next, before)
	}
	if err == nil && res.fromStored != nil {
		shown, err = res.fromStored(obj)
	}
	return next, shown, err
}

// roomForMetadata is about how many bytes a write adds to what a client sends or what there was.
const roomForMetadata = 512

// convertStored converts an object to the stored version. Only what has changed in the version of the request changes in
// the stored object, so that a version that cannot say all that another can loses nothing of it there.
func (res *resource) convertStored(ctx context.Context, obj, old doc.Value, current *storage.Record) (doc.Value, error) {
	v, err := res.toStored(obj)
	if err != nil {
		return doc.Value{}, err
	}
	var stored doc.Value
	if current != nil {
		if stored, _, err = codec.DecodeJSON(current.JSON); err != nil {
			return doc.Value{}, fmt.Errorf("stored object %v: %w", current.Key, err)
		}
		before, err := res.toStored(old)
		if err != nil {
			return doc.Value{}, err
		}
		v = withChanges(stored, before, v).With("metadata", metadataOf(v))
	}
	if res.goType.hooks().validate || !res.stored.goType.hooks().validate {
		return v, nil
	}
	typed, err := res.stored.goType.fromDocument(v)
	if err != nil {
		return doc.Value{}, err
	}
	errs, err := res.stored.validateByHook(ctx, typed, stored)
	if err == nil && len(errs) > 0 {
		err = status.Invalid(res.gvk.GroupKind(), nameOf(v), errs)
	}
	return v, err
}
