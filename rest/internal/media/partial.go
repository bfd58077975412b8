package media

import (
	"context"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// appendPartial appends the PartialObjectMetadata of a stored object (API concepts, Metadata-only fetches), without its
// managedFields if drops is set. It copies the text of the metadata without decoding it.
func appendPartial(dst []byte, metaVersion string, object []byte, drops bool) ([]byte, error) {
	parts, err := storage.ExtractMetadata(object)
	if err != nil {
		return nil, err
	}
	return appendPartialParts(dst, metaVersion, object, &parts, drops), nil
}

// appendPartialParts is like appendPartial, for an object whose parts the store has found.
func appendPartialParts(dst []byte, metaVersion string, object []byte, parts *storage.Extracted, drops bool) []byte {
	cut := storage.Span{}
	if drops {
		cut = parts.ManagedFields
	}
	dst = appendPartialHead(dst, metaVersion)
	return append(appendCut(dst, object, int(parts.Metadata.Start), int(parts.Metadata.End), cut), '}')
}

// appendPartialMetadata appends a PartialObjectMetadata around the text of the metadata.
func appendPartialMetadata(dst []byte, metaVersion string, metadata []byte) []byte {
	return append(append(appendPartialHead(dst, metaVersion), metadata...), '}')
}

// appendPartialHead appends a PartialObjectMetadata up to its metadata.
func appendPartialHead(dst []byte, metaVersion string) []byte {
	dst = append(dst, `{"apiVersion":"meta.k8s.io/`...)
	dst = append(dst, metaVersion...)
	return append(dst, `","kind":"PartialObjectMetadata","metadata":`...)
}

// partialObjects shows PartialObjectMetadata.
type partialObjects struct {
	metaVersion string
	drops       bool
	spliced     []byte
}

func (v *partialObjects) whole() surroundings { return nil }

func (v *partialObjects) object(ctx context.Context, dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	if at == r.Revision {
		text, err := r.JSON(ctx)
		if err != nil {
			return dst, err
		}
		return appendPartialParts(dst, v.metaVersion, text, &r.Extracted, v.drops), nil
	}
	var err error
	if v.spliced, err = r.AppendAt(ctx, v.spliced[:0], at); err != nil {
		return dst, err
	}
	return appendPartial(dst, v.metaVersion, v.spliced, v.drops)
}

func (v *partialObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	return appendPartialBookmark(dst, v.metaVersion, at, initialEventsEnd), nil
}

func (v *partialObjects) forget() { v.spliced = nil }
