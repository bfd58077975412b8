package write

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
)

// forms are two versions of one object: shown in the version of a request, stored in the stored version. If the request
// uses the stored version, both are the same value.
type forms struct{ shown, stored doc.Value }

// formsOf decodes both forms of a stored object. json is its text in the version of the resource.
func formsOf(ctx context.Context, res *resource.Resource, current *storage.Record) (f forms, json []byte, err error) {
	record, err := res.ShowIn(ctx, current)
	if err != nil {
		return f, nil, err
	}
	if f.stored, err = res.Decode(ctx, current); err != nil {
		return f, nil, err
	}
	if json, err = record.JSON(ctx); err != nil {
		return f, nil, err
	}
	if f.shown = f.stored; record != current {
		f.shown, _, err = codec.DecodeJSON(json)
	}
	if err != nil {
		return f, nil, fmt.Errorf("stored object %v: %w", current.Key, err)
	}
	return f, json, nil
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

// convertStored converts an object to the stored version and, if the dialect says so, merges it into base. Then only
// fields that differ from base in the version of the request change in the stored object, so a version that cannot
// express all fields of the stored version does not lose them.
func convertStored(res *resource.Resource, obj doc.Value, base forms) (doc.Value, error) {
	if res.ToStored == nil {
		return obj, nil
	}
	v, err := res.ToStored(obj)
	if err != nil || base.stored.IsAbsent() || !res.Dialect.FieldsKept {
		return v, err
	}
	before, err := res.ToStored(base.shown)
	if err != nil {
		return doc.Value{}, err
	}
	return res.Stored.Schema.Merge(base.stored, before, v), nil
}
