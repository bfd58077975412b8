package media

import (
	"context"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// appendCut appends the part of an object between two offsets, without the bytes in the span. The span may be empty.
func appendCut(dst, object []byte, from, to int, cut storage.Span) []byte {
	head, tail := around(object, from, to, cut)
	return append(append(dst, head...), tail...)
}

// around returns the part of an object between two offsets, in two pieces, before and after the span.
func around(object []byte, from, to int, cut storage.Span) (head, tail []byte) {
	if cut.Start == cut.End {
		return object[from:to], nil
	}
	return object[from:cut.Start], object[cut.End:to]
}

// appendDropped appends a record as it looks at a revision, without its managedFields.
func appendDropped(ctx context.Context, dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	if at == r.Revision {
		text, err := r.JSON(ctx)
		if err != nil {
			return dst, err
		}
		return appendCut(dst, text, 0, len(text), r.ManagedFields), nil
	}
	spliced, err := r.AppendAt(ctx, nil, at)
	if err != nil {
		return dst, err
	}
	parts, err := storage.ExtractMetadata(spliced)
	return appendCut(dst, spliced, 0, len(spliced), parts.ManagedFields), err
}
