package rest

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// encodeStored returns what is to be stored of an object that a write has finished. current is what it replaces, nil on
// create. Where an object is too large with its managedFields, it is stored without: to lose who wrote it is better than
// to lose what was written, unless that is what the client asks for.
func (res *resource) encodeStored(ctx context.Context, obj doc.Value, o *writeOptions, current *storage.Record) ([]byte, error) {
	if res.toStored != nil {
		var err error
		if obj, err = res.convertStored(ctx, obj, o.part, current); err != nil {
			return nil, err
		}
	}
	before := 0
	if current != nil {
		before = len(current.JSON)
	}
	next := codec.AppendObject(make([]byte, 0, max(before, o.size)+roomForMetadata), obj)
	err := res.checkSize(next, before)
	if err != nil && !o.applied && metadataOf(obj).Has(fieldManagedFields) {
		next = codec.AppendObject(nil, withoutManagedFields(obj))
		err = res.checkSize(next, before)
	}
	return next, err
}

// roomForMetadata is about how many bytes a write adds to what a client sends or what there was.
const roomForMetadata = 512

// convertStored converts an object to the stored version. What the write was not about comes from the stored object, so
// that a version that cannot say all that another can loses nothing of it there.
func (res *resource) convertStored(ctx context.Context, obj doc.Value, which part, current *storage.Record) (doc.Value, error) {
	v, err := res.convert(obj, res.stored)
	if err != nil {
		return doc.Value{}, err
	}
	var old doc.Value
	if current != nil {
		if old, _, err = codec.DecodeJSON(current.JSON); err != nil {
			return doc.Value{}, fmt.Errorf("stored object %v: %w", current.Key, err)
		}
		if which == statusPart {
			v = old.With("metadata", metadataOf(v)).With("status", v.Get("status"))
		} else if res.stored.hasStatus() {
			v = v.With("status", old.Get("status"))
		}
	}
	if res.goType.hooks().validate || !res.stored.goType.hooks().validate {
		return v, nil
	}
	typed, err := res.stored.goType.fromDocument(v)
	if err != nil {
		return doc.Value{}, err
	}
	errs, err := res.stored.validateByHook(ctx, typed, old)
	if err == nil && len(errs) > 0 {
		err = status.Invalid(res.gvk.GroupKind(), nameOf(v), errs)
	}
	return v, err
}
