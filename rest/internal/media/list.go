package media

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"sync"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// List is a list of stored records, with the values of its metadata. The writer of a list clears each record that it
// has written, so that a slow client does not keep all of them alive.
type List struct {
	Records   []*storage.Record
	Revision  watch.Revision
	Continue  string
	Remaining *int64
	// Shard is the selector of the shard that the list contains, or empty.
	Shard string
}

// Size returns the total size of the objects in bytes.
func (l List) Size() int { return SizeOf(l.Records) }

// SizeOf returns the total size of the objects of these records in bytes.
func SizeOf(records []*storage.Record) int {
	n := 0
	for _, r := range records {
		n += r.Len()
	}
	return n
}

const (
	// ChunkSize is how many bytes are gathered before they are written.
	ChunkSize = 48 << 10
	// ChunkSlack is the room beyond ChunkSize for the object that exceeds it.
	ChunkSlack = 16 << 10
)

// chunks lends buffers to lists and watches. An answer is gathered in one chunk and written when the chunk is full, so
// a long answer needs no larger buffer.
var chunks = sync.Pool{New: func() any { b := make([]byte, 0, ChunkSize+ChunkSlack); return &b }}

// BorrowChunk returns an empty chunk. The caller must give it back with ReturnChunk.
func BorrowChunk() *[]byte {
	chunk := chunks.Get().(*[]byte)
	*chunk = (*chunk)[:0]
	return chunk
}

// ReturnChunk takes a chunk back. buf is the slice that the chunk has grown to. A chunk that has become too large is
// left to the garbage collector.
func ReturnChunk(chunk *[]byte, buf []byte) {
	if cap(buf) <= 4*(ChunkSize+ChunkSlack) {
		*chunk = buf
		chunks.Put(chunk)
	}
}

// ListWriter writes one list, chunk by chunk, straight from its records. It encodes each element when the ones before
// it are sent. So a client that does not read costs a chunk and an element for any form of the list, and nothing is
// encoded for a client that has left.
type ListWriter struct {
	kind     *Kind
	rep      *Representation
	rows     *tableWriter    // nil unless the list is a Table
	form     listForm        // nil for compact JSON and for Protobuf
	items    itemForm        // zero for a Table
	budget   *storage.Budget // bounds the messages of lists in Protobuf
	messages *Messages
	protobuf protobufList // what Length has measured of a list in Protobuf
	borrowed *[]byte
	ctx      context.Context // the context of the request
	inOrder  context.Context // the same, for texts that the next element may overwrite
	to       io.Writer
	buf      []byte // the gathered bytes, in the borrowed chunk
	item     []byte // one element, for a form other than compact JSON
	asStored bool   // the records are sent as they are, because Length has counted their bytes
	sent     bool
	err      error // why nothing more is written: the client is gone or too slow, or the context has ended
	ended    bool  // the context has ended
}

// NewListWriter returns a writer for a list of a kind. It returns an error if the client asks for an invalid content of
// the rows. A list in Protobuf that the budget refuses is encoded twice. The caller must call Release.
func NewListWriter(k *Kind, rep *Representation, budget *storage.Budget, messages *Messages) (w ListWriter, err error) {
	w.kind, w.rep, w.budget, w.messages, w.form = k, rep, budget, messages, rep.newListForm()
	if rep.Form == AsTable {
		if w.rows, err = newTableWriter(k, rep); err != nil {
			return w, err
		}
	} else {
		w.items = k.itemForm(rep)
	}
	w.borrowed = BorrowChunk()
	w.buf = *w.borrowed
	return w, nil
}

// Release gives back what the writer has borrowed.
func (w *ListWriter) Release() {
	ReturnChunk(w.borrowed, w.buf)
	w.protobuf.release(w.budget)
}

// Sent reports whether anything of the list has been sent.
func (w *ListWriter) Sent() bool { return w.sent }

// Length returns the number of bytes that Write will send to a client. It is known only for Protobuf, and for compact
// JSON of objects, or of their metadata, that are shown as they are stored. A server that announces the length does not
// have to frame each chunk. Length returns an error if the list cannot be encoded, or if the context ends first.
func (w *ListWriter) Length(ctx context.Context, l List) (n int64, known bool, err error) {
	w.ctx, w.inOrder = ctx, storage.InOrder(ctx)
	if w.rep.Media != Protobuf {
		n, known = w.jsonLength(l)
		return n, known, nil
	}
	if err := w.measure(l); err != nil {
		return 0, false, err
	}
	around := len(w.envelope(nil)) + len(codec.AppendEnvelopeTail(nil))
	return int64(around + w.protobuf.size), true, nil
}

// jsonLength returns the length of a list of records that are sent as they are stored. Then join sends them so.
func (w *ListWriter) jsonLength(l List) (n int64, known bool) {
	if !w.rep.IsPlain() || w.rep.Form == AsTable || w.kind.converts {
		return 0, false
	}
	for i, record := range l.Records {
		// A newer declaration may have replaced the resource.
		if shown, err := w.kind.show(w.ctx, record); err != nil || shown != record {
			return 0, false
		}
		if i > 0 {
			n += int64(len(","))
		}
		n += int64(len(w.items.before) + w.items.size(record) + len(w.items.after))
	}
	around := "[]"
	if w.absent(l) {
		around = "null"
	}
	head := w.kind.appendListHead(w.buf[:0], w.rep, l)
	w.asStored = true
	return int64(len(head)+len(around)) + n + int64(len("}\n")), true
}

// absent reports whether the list has null in the place of its items: only an empty list of metadata does.
func (w *ListWriter) absent(l List) bool { return w.rep.Form == AsPartial && len(l.Records) == 0 }

// Write writes the list, and clears its records. It returns an error if the list cannot be encoded, or if the context
// ends first. It returns nil if a write fails, because the client has left.
func (w *ListWriter) Write(ctx context.Context, to io.Writer, l List) error {
	w.ctx, w.inOrder, w.to = ctx, storage.InOrder(ctx), to
	write := w.join
	switch {
	case w.rep.Media == Protobuf:
		write = w.writeProtobuf
	case w.form != nil:
		write = w.encode
	case w.rows != nil:
		write = func(l List) error { return w.rows.appendTable(w, l) }
	}
	if err := write(l); err != nil {
		return err
	}
	if w.rep.IsPlain() {
		w.buf = append(w.buf, '\n') // as in kube-apiserver, indented JSON ends without one
	}
	if w.send(); w.ended {
		return ctx.Err()
	}
	return nil
}

// encode writes the list in its form, except for the last chunk.
func (w *ListWriter) encode(l List) error {
	if len(l.Records) == 0 {
		return w.encodeEmpty(l)
	}
	head, name, err := w.head(l)
	if err != nil {
		return err
	}
	if w.buf, err = w.form.begin(w.buf, head, name, len(l.Records)); err != nil {
		return err
	}
	for i, record := range l.Records {
		if record, err = w.show(record); err != nil {
			return err
		}
		l.Records[i] = nil
		object, err := w.element(record)
		if err != nil {
			return err
		}
		if err = w.form.element(w, object); err != nil {
			return err
		}
		if cap(w.item) > ChunkSize {
			w.item = nil
		}
		if w.full(); w.err != nil {
			return nil
		}
	}
	w.buf = w.form.end(w.buf)
	return nil
}

// encodeEmpty writes a list without elements.
func (w *ListWriter) encodeEmpty(l List) error {
	join := w.join
	if w.rows != nil {
		join = func(l List) error { return w.rows.appendTable(w, l) }
	}
	if err := join(l); err != nil {
		return err
	}
	encoded, err := w.rep.Encode(w.buf)
	w.buf = append(w.buf[:0], encoded...)
	return err
}

// head returns the JSON of the list up to its elements, and the name of the member that holds them.
func (w *ListWriter) head(l List) (head []byte, name string, err error) {
	if w.rows != nil {
		head, err = w.rows.appendHead(nil, l, true)
		return bytes.TrimSuffix(head, []byte("[")), "rows", err
	}
	return w.kind.appendListHead(nil, w.rep, l), "items", nil
}

// element returns the JSON of one element of the list, until the next call. Nobody may change it: it can be the stored
// text.
func (w *ListWriter) element(record *storage.Record) ([]byte, error) {
	switch {
	case w.rows != nil:
		text, err := record.JSON(w.inOrder)
		if err != nil {
			return nil, err
		}
		w.item, err = w.rows.appendRow(w.item[:0], text, record.Metadata)
		return w.item, err
	case w.items.asStored():
		return record.JSON(w.inOrder)
	}
	var err error
	w.item, err = w.items.append(w.inOrder, w.item[:0], record)
	return w.item, err
}

// join writes the list as compact JSON, except for its last chunk. It joins the stored bytes.
func (w *ListWriter) join(l List) error {
	w.buf = w.kind.appendListHead(w.buf, w.rep, l)
	if w.absent(l) {
		w.buf = append(w.buf, `null}`...)
		return nil
	}
	w.buf = append(w.buf, '[')
	for i, record := range l.Records {
		if !w.asStored {
			var err error
			if record, err = w.show(record); err != nil {
				return err
			}
		}
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		l.Records[i] = nil
		w.buf = append(w.buf, w.items.before...)
		head, tail, err := w.items.shown(w.inOrder, record)
		if err != nil {
			return err
		}
		w.bytes(head)
		w.bytes(tail)
		w.buf = append(w.buf, w.items.after...)
		if w.full(); w.err != nil {
			return nil
		}
	}
	w.buf = append(w.buf, ']', '}')
	return nil
}

// show returns a record in the version of the kind. It waits first until the list may be encoded further.
func (w *ListWriter) show(record *storage.Record) (*storage.Record, error) {
	if err := resume(w.to); err != nil {
		return nil, err
	}
	return w.kind.show(w.ctx, record)
}

// full writes the chunk if it is full.
func (w *ListWriter) full() {
	if len(w.buf) >= ChunkSize {
		w.send()
	}
}

// send writes the chunk. A chunk that an element has made too large is not used again.
func (w *ListWriter) send() {
	w.write(w.buf)
	if w.buf = w.buf[:0]; cap(w.buf) > 4*(ChunkSize+ChunkSlack) {
		w.buf = make([]byte, 0, ChunkSize+ChunkSlack)
	}
}

// write writes bytes to the client. It does nothing once a write has failed or the client has left.
func (w *ListWriter) write(b []byte) {
	if w.err == nil {
		w.err = w.ctx.Err()
		w.ended = w.err != nil
	}
	if w.err == nil && len(b) > 0 {
		w.sent = true
		_, w.err = w.to.Write(b)
	}
}

// bytes appends bytes to the chunk. It writes a large object directly.
func (w *ListWriter) bytes(b []byte) {
	if len(b) <= ChunkSize {
		w.buf = append(w.buf, b...)
		return
	}
	w.send()
	w.write(b)
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
func (k *Kind) appendListHead(dst []byte, rep *Representation, l List) []byte {
	apiVersion, kind := k.listType(rep)
	dst = appendTypeMeta(dst, apiVersion, kind)
	dst = appendListMeta(append(dst, `"metadata":`...), l, k.dialect.EmptyContinue && rep.Form == Whole)
	return append(dst, `,"items":`...)
}

// appendListMeta appends the metadata of a list. emptyContinue says that a list without a next page has an empty
// continue.
func appendListMeta(dst []byte, l List, emptyContinue bool) []byte {
	dst = append(dst, '{')
	if l.Revision > 0 {
		dst = append(dst, `"resourceVersion":"`...)
		dst = strconv.AppendUint(dst, uint64(l.Revision), 10)
		dst = append(dst, '"')
	}
	if l.Continue != "" || emptyContinue {
		dst = append(dst, `,"continue":"`...)
		dst = append(dst, l.Continue...)
		dst = append(dst, '"')
	}
	if l.Remaining != nil {
		dst = append(dst, `,"remainingItemCount":`...)
		dst = strconv.AppendInt(dst, *l.Remaining, 10)
	}
	if l.Shard != "" {
		dst = append(dst, `,"shardInfo":{"selector":"`...)
		dst = append(dst, l.Shard...) // it contains nothing that JSON escapes
		dst = append(dst, `"}`...)
	}
	return append(dst, '}')
}
