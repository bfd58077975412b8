package media

import (
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// appendPartial appends the PartialObjectMetadata of a stored object (API concepts, Metadata-only fetches). It copies
// the text of the metadata without decoding it.
func appendPartial(dst []byte, metaVersion string, object []byte) ([]byte, error) {
	parts, err := storage.ExtractMetadata(object)
	if err != nil {
		return nil, err
	}
	return appendPartialMetadata(dst, metaVersion, object[parts.Metadata.Start:parts.Metadata.End]), nil
}

// appendPartialRecord appends the PartialObjectMetadata of a record, whose metadata the store has already found.
func appendPartialRecord(dst []byte, metaVersion string, r *storage.Record) []byte {
	return appendPartialMetadata(dst, metaVersion, r.JSON[r.Metadata.Start:r.Metadata.End])
}

// appendPartialMetadata appends a PartialObjectMetadata around the text of the metadata.
func appendPartialMetadata(dst []byte, metaVersion string, metadata []byte) []byte {
	dst = append(dst, `{"apiVersion":"meta.k8s.io/`...)
	dst = append(dst, metaVersion...)
	dst = append(dst, `","kind":"PartialObjectMetadata","metadata":`...)
	dst = append(dst, metadata...)
	return append(dst, '}')
}

// partialObjects shows PartialObjectMetadata.
type partialObjects struct {
	metaVersion string
	spliced     []byte
}

func (v *partialObjects) whole() surroundings { return nil }

func (v *partialObjects) object(dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	if at == r.Revision {
		return appendPartialRecord(dst, v.metaVersion, r), nil
	}
	v.spliced = r.AppendAt(v.spliced[:0], at)
	return appendPartial(dst, v.metaVersion, v.spliced)
}

func (v *partialObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	return appendPartialBookmark(dst, v.metaVersion, at, initialEventsEnd), nil
}

func (v *partialObjects) forget() { v.spliced = nil }
