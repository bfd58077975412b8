package media

import (
	"io"
	"strconv"
	"sync"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// List is a list of stored records, with the values of its metadata. The writer of a list clears each record that it has written, so that
// a slow client does not keep all of them alive.
type List struct {
	Records   []*storage.Record
	Revision  watch.Revision
	Continue  string
	Remaining *int64
}

// Size returns the total size of the objects in bytes.
func (l List) Size() int { return SizeOf(l.Records) }

// SizeOf returns the total size of the objects of these records in bytes.
func SizeOf(records []*storage.Record) int {
	n := 0
	for _, r := range records {
		n += len(r.JSON)
	}
	return n
}

const (
	// ChunkSize is how many bytes are gathered before they are written.
	ChunkSize = 48 << 10
	// ChunkSlack is the room beyond ChunkSize for the object that exceeds it.
	ChunkSlack = 16 << 10
)

// chunks lends buffers to lists and watches. An answer is gathered in one chunk and written when the chunk is full, so a long answer
// needs no larger buffer.
var chunks = sync.Pool{New: func() any { b := make([]byte, 0, ChunkSize+ChunkSlack); return &b }}

// BorrowChunk returns an empty chunk. The caller must give it back with ReturnChunk.
func BorrowChunk() *[]byte {
	chunk := chunks.Get().(*[]byte)
	*chunk = (*chunk)[:0]
	return chunk
}

// ReturnChunk takes a chunk back. buf is the slice that the chunk has grown to. A chunk that has become too large is left to the garbage
// collector.
func ReturnChunk(chunk *[]byte, buf []byte) {
	if cap(buf) <= 4*(ChunkSize+ChunkSlack) {
		*chunk = buf
		chunks.Put(chunk)
	}
}

// ListWriter writes one list as compact JSON, chunk by chunk, straight from its records.
type ListWriter struct {
	kind     *Kind
	rep      *Representation
	rows     *tableWriter // nil unless the list is a Table
	borrowed *[]byte
	to       io.Writer
	buf      []byte // the gathered bytes, in the borrowed chunk
	sent     bool
	err      error // why the last write failed: the client is gone or too slow
}

// NewListWriter returns a writer for a list of a kind. It returns an error if the client asks for an invalid content of the rows. The
// caller must call Release.
func NewListWriter(k *Kind, rep *Representation) (w ListWriter, err error) {
	w.kind, w.rep = k, rep
	if rep.Form == AsTable {
		if w.rows, err = newTableWriter(k, rep); err != nil {
			return w, err
		}
	}
	w.borrowed = BorrowChunk()
	w.buf = *w.borrowed
	return w, nil
}

// Release gives the borrowed chunk back.
func (w *ListWriter) Release() { ReturnChunk(w.borrowed, w.buf) }

// Sent reports whether anything of the list has been sent.
func (w *ListWriter) Sent() bool { return w.sent }

// Write writes the list. It returns an error if the list cannot be encoded. It returns nil if the client has left.
func (w *ListWriter) Write(to io.Writer, l List) error {
	w.to = to
	if err := w.join(l); err != nil {
		return err
	}
	w.send()
	return nil
}

// join writes the list except for its last chunk. For whole objects, it joins the stored bytes.
func (w *ListWriter) join(l List) error {
	if w.rows != nil {
		return w.rows.appendTable(w, l)
	}
	apiVersion, kind := w.kind.listType(w.rep)
	w.buf = appendListHead(w.buf, apiVersion, kind, l)
	if w.rep.Form == AsPartial && len(l.Records) == 0 {
		w.buf = append(w.buf, `null}`...)
		return nil
	}
	w.buf = append(w.buf, '[')
	// Every stored object begins with its apiVersion and kind. The items of a built-in list lack them, so the writer skips that prefix.
	prefix := 0
	if !w.kind.dialect.ItemKinds {
		prefix = len(appendTypeMeta(nil, apiVersion, w.kind.names.Kind))
	}
	for i, record := range l.Records {
		record, err := w.kind.show(record)
		if err != nil {
			return err
		}
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		l.Records[i] = nil
		switch {
		case w.rep.Form == AsPartial:
			w.buf = appendPartialRecord(w.buf, w.rep.MetaVersion, record)
		case prefix > 0:
			w.buf = append(w.buf, '{')
			w.object(record.JSON[prefix:])
		default:
			w.object(record.JSON)
		}
		if w.full(); w.err != nil {
			return nil
		}
	}
	w.buf = append(w.buf, ']', '}')
	return nil
}

// full writes the chunk if it is full.
func (w *ListWriter) full() {
	if len(w.buf) >= ChunkSize {
		w.send()
	}
}

// send writes the chunk.
func (w *ListWriter) send() {
	w.write(w.buf)
	w.buf = w.buf[:0]
}

// write writes bytes to the client. It does nothing once a write has failed.
func (w *ListWriter) write(b []byte) {
	if w.err == nil && len(b) > 0 {
		w.sent = true
		_, w.err = w.to.Write(b)
	}
}

// object appends an object to the chunk. It writes a large object directly from the store.
func (w *ListWriter) object(json []byte) {
	if len(json) <= ChunkSize {
		w.buf = append(w.buf, json...)
		return
	}
	w.send()
	w.write(json)
}

// listType returns the apiVersion and kind of a list.
func (k *Kind) listType(rep *Representation) (apiVersion, kind string) {
	if rep.Form == AsPartial {
		return "meta.k8s.io/" + rep.MetaVersion, "PartialObjectMetadataList"
	}
	return k.names.GroupVersion().String(), k.names.ListKind
}

// appendTypeMeta appends the beginning of an object in the form of codec.AppendObject.
func appendTypeMeta(dst []byte, apiVersion, kind string) []byte {
	dst = append(dst, `{"apiVersion":`...)
	dst = codec.AppendJSON(dst, doc.Of(apiVersion))
	dst = append(dst, `,"kind":`...)
	dst = codec.AppendJSON(dst, doc.Of(kind))
	return append(dst, ',')
}

// appendListHead appends a list up to its first item.
func appendListHead(dst []byte, apiVersion, kind string, l List) []byte {
	dst = appendTypeMeta(dst, apiVersion, kind)
	dst = appendListMeta(append(dst, `"metadata":`...), l)
	return append(dst, `,"items":`...)
}

// appendListMeta appends the metadata of a list.
func appendListMeta(dst []byte, l List) []byte {
	dst = append(dst, '{')
	if l.Revision > 0 {
		dst = append(dst, `"resourceVersion":"`...)
		dst = strconv.AppendUint(dst, uint64(l.Revision), 10)
		dst = append(dst, '"')
	}
	if l.Continue != "" {
		dst = append(dst, `,"continue":"`...)
		dst = append(dst, l.Continue...)
		dst = append(dst, '"')
	}
	if l.Remaining != nil {
		dst = append(dst, `,"remainingItemCount":`...)
		dst = strconv.AppendInt(dst, *l.Remaining, 10)
	}
	return append(dst, '}')
}
