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

// List is a list of stored records, with what its metadata says. Whoever writes it lets go of each record that it has written.
type List struct {
	Records   []*storage.Record
	Revision  watch.Revision
	Continue  string
	Remaining *int64
}

// Size is how many bytes the objects have.
func (l List) Size() int { return SizeOf(l.Records) }

// SizeOf is how many bytes the objects of records have.
func SizeOf(records []*storage.Record) int {
	n := 0
	for _, r := range records {
		n += len(r.JSON)
	}
	return n
}

const (
	// ChunkSize is how much gathers before it is worth a write.
	ChunkSize = 48 << 10
	// ChunkSlack is the room beyond it for what comes last.
	ChunkSlack = 16 << 10
)

// chunks are buffers that lists and watches borrow. An answer grows in a chunk and is written when the chunk is full, so that it
// costs the same few buffers whatever its length.
var chunks = sync.Pool{New: func() any { b := make([]byte, 0, ChunkSize+ChunkSlack); return &b }}

// BorrowChunk returns an empty chunk.
func BorrowChunk() *[]byte {
	chunk := chunks.Get().(*[]byte)
	*chunk = (*chunk)[:0]
	return chunk
}

// ReturnChunk gives a chunk back, grown to buf. One that has grown too large is left to the garbage collector.
func ReturnChunk(chunk *[]byte, buf []byte) {
	if cap(buf) <= 4*(ChunkSize+ChunkSlack) {
		*chunk = buf
		chunks.Put(chunk)
	}
}

// ListWriter writes one list as compact JSON, in chunks, while it is made of its records.
type ListWriter struct {
	kind     *Kind
	rep      *Representation
	rows     *tableWriter // for a Table
	borrowed *[]byte
	to       io.Writer
	buf      []byte // what has gathered in the chunk
	sent     bool
	err      error // the client is gone, or too slow
}

// NewListWriter returns a writer of a list of objects of a kind. It returns an error if the client asks for rows that there are
// not. Release gives back what the writer has borrowed.
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

// Release gives back what the writer has borrowed.
func (w *ListWriter) Release() { ReturnChunk(w.borrowed, w.buf) }

// Sent reports whether anything of the list has been sent.
func (w *ListWriter) Sent() bool { return w.sent }

// Write writes the list. It returns an error if the list cannot be made; that a client has gone away is none.
func (w *ListWriter) Write(to io.Writer, l List) error {
	w.to = to
	if err := w.join(l); err != nil {
		return err
	}
	w.send()
	return nil
}

// join writes the JSON of a list but for the last chunk: stored bytes, joined.
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

// full sends what has gathered if it is worth a write.
func (w *ListWriter) full() {
	if len(w.buf) >= ChunkSize {
		w.send()
	}
}

func (w *ListWriter) send() {
	w.write(w.buf)
	w.buf = w.buf[:0]
}

func (w *ListWriter) write(b []byte) {
	if w.err == nil && len(b) > 0 {
		w.sent = true
		_, w.err = w.to.Write(b)
	}
}

// object appends an object, or sends it as it lies in the store if it is large.
func (w *ListWriter) object(json []byte) {
	if len(json) <= ChunkSize {
		w.buf = append(w.buf, json...)
		return
	}
	w.send()
	w.write(json)
}

// listType is what a list of the kind is.
func (k *Kind) listType(rep *Representation) (apiVersion, kind string) {
	if rep.Form == AsPartial {
		return "meta.k8s.io/" + rep.MetaVersion, "PartialObjectMetadataList"
	}
	return k.names.GroupVersion().String(), k.names.ListKind
}

// appendTypeMeta appends the beginning of an object as codec.AppendObject writes it.
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
