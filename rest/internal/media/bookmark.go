package media

import (
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/watch"
)

// appendBookmark appends the object of a bookmark.
func (k *Kind) appendBookmark(dst []byte, at watch.Revision, initialEventsEnd bool) []byte {
	dst = appendTypeMeta(dst, k.names.GroupVersion().String(), k.names.Kind)
	return append(append(appendBookmarkMeta(dst, at, initialEventsEnd), k.bookmarkRest...), '}')
}

// afterMetadata returns the fields of a bookmark's object after its metadata, which are those of an empty object.
func afterMetadata(v doc.Value) []byte {
	for _, field := range []string{"apiVersion", "kind", "metadata"} {
		v = v.Without(field)
	}
	if v.Len() == 0 {
		return nil
	}
	written := codec.AppendJSON(nil, v)
	written[0] = ','
	return written[:len(written)-1]
}

// appendPartialBookmark appends the object of a bookmark, as PartialObjectMetadata.
func appendPartialBookmark(dst []byte, metaVersion string, at watch.Revision, initialEventsEnd bool) []byte {
	dst = appendTypeMeta(dst, "meta.k8s.io/"+metaVersion, "PartialObjectMetadata")
	return append(appendBookmarkMeta(dst, at, initialEventsEnd), '}')
}

// appendBookmarkMeta appends the metadata of a bookmark's object. The annotation marks the end of the initial events.
func appendBookmarkMeta(dst []byte, at watch.Revision, initialEventsEnd bool) []byte {
	dst = append(dst, `"metadata":{"resourceVersion":"`...)
	dst = strconv.AppendUint(dst, uint64(at), 10)
	dst = append(dst, '"')
	if initialEventsEnd {
		dst = append(dst, `,"annotations":{"k8s.io/initial-events-end":"true"}`...)
	}
	return append(dst, '}')
}
