package media

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// tableObjects shows each object as a Table with one row.
type tableObjects struct {
	*tableWriter
	columnsSent bool
	spliced     []byte
}

// whole returns v only if the rows contain whole objects. Other rows are small.
func (v *tableObjects) whole() surroundings {
	if v.include != apimeta.IncludeObject {
		return nil
	}
	return v
}

// around appends the Table up to the object in its row.
func (v *tableObjects) around(dst, object []byte, at watch.Revision) ([]byte, string, error) {
	dst, err := v.begin(dst, at)
	if err == nil {
		dst, err = v.beginRow(dst, object, storage.Span{})
	}
	return dst, "}]}", err
}

func (v *tableObjects) object(ctx context.Context, dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	dst, err := v.begin(dst, at)
	if err != nil {
		return dst, err
	}
	object, metadata := []byte(nil), r.Metadata
	if at == r.Revision {
		object, err = r.JSON(ctx)
	} else if v.spliced, err = r.AppendAt(ctx, v.spliced[:0], at); err == nil {
		var parts storage.Extracted
		parts, err = storage.ExtractMetadata(v.spliced)
		object, metadata = v.spliced, parts.Metadata
	}
	if err != nil {
		return dst, err
	}
	dst, err = v.appendRow(dst, object, metadata)
	return append(dst, "]}"...), err
}

// begin appends the Table up to its row. The first Table of the watch contains the columns.
func (v *tableObjects) begin(dst []byte, at watch.Revision) ([]byte, error) {
	dst, err := v.appendHead(dst, List{Revision: at}, !v.columnsSent)
	v.columnsSent = true
	return dst, err
}

// bookmark appends a Table with one row for an empty object. That object carries the revision of the bookmark. Even if
// the client wants no objects, the bookmark at the end of the initial events carries one, because clients look there
// for its annotation.
func (v *tableObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	dst, err := v.begin(dst, at)
	if err != nil {
		return dst, err
	}
	if dst, err = v.beginRow(dst, nil, storage.Span{}); err != nil {
		return dst, err
	}
	switch {
	case v.include == apimeta.IncludeObject:
		dst = v.kind.appendBookmark(dst, at, initialEventsEnd)
	case v.include == apimeta.IncludeNone && !initialEventsEnd:
		dst = append(dst, "null"...)
	default:
		dst = appendPartialBookmark(dst, v.version, at, initialEventsEnd)
	}
	return append(dst, "}]}"...), nil
}

func (v *tableObjects) forget() { v.spliced = nil }
