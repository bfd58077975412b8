package rest

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// list answers a collection, or a watch of it.
func (q *request) list() error {
	e := manyObjects
	if q.wantsWatch() {
		e = eventStream
	} else if _, err := q.timeout(); err != nil {
		return err
	}
	rep, err := q.negotiateRead(e)
	if err != nil {
		return err
	}
	p, err := q.listParameters()
	if err != nil {
		return err
	}
	verb := List
	if p.Watch {
		verb = Watch
	}
	switch {
	case !q.res.Has(string(verb)):
		return status.MethodNotAllowed()
	case p.Watch:
		return q.watch(rep, p)
	default:
		return q.listNow(rep, p)
	}
}

func (q *request) listNow(rep representation, p *resource.ListParameters) error {
	namespace, err := q.namespace()
	if err != nil {
		return err
	}
	records := resource.BorrowRecords()
	defer resource.ReturnRecords(records)
	page, err := q.res.List(q.r.Context(), namespace, *p, *records)
	if err != nil {
		return err
	}
	*records = page.Records
	if rep.mismatch != nil {
		return rep.mismatch
	}
	if err := q.res.ShowAhead(page.Records); err != nil {
		return err
	}
	return q.writeList(rep, page)
}

// chunks are buffers that lists borrow. An answer grows in a chunk and is written when the chunk is full, so that a list costs
// the same few buffers whatever its length.
var chunks = sync.Pool{New: func() any { b := make([]byte, 0, chunkSize+chunkSlack); return &b }}

const (
	chunkSize  = 48 << 10
	chunkSlack = 16 << 10
)

// chunkWriter gathers what is appended to buf and sends it in chunks.
type chunkWriter struct {
	w    io.Writer
	buf  []byte
	sent bool
	err  error // the client is gone, or too slow
}

// full sends what has gathered if it is worth a write.
func (c *chunkWriter) full() {
	if len(c.buf) >= chunkSize {
		c.send()
	}
}

func (c *chunkWriter) send() {
	c.write(c.buf)
	c.buf = c.buf[:0]
}

func (c *chunkWriter) write(b []byte) {
	if c.err == nil && len(b) > 0 {
		c.sent = true
		_, c.err = c.w.Write(b)
	}
}

// object appends an object, or sends it as it lies in the store if it is large.
func (c *chunkWriter) object(json []byte) {
	if len(json) <= chunkSize {
		c.buf = append(c.buf, json...)
		return
	}
	c.send()
	c.write(json)
}

// writeList sends a list, unless the client is so slow that it has to be broken off.
func (q *request) writeList(rep representation, p resource.Page) error {
	size := sizeOf(p.Records)
	if size <= chunkSize {
		return q.writeListAs(rep, p, size)
	}
	h := &holding{expired: ownCopy, cut: func() { _ = http.NewResponseController(q.w).SetWriteDeadline(time.Now()) }}
	if rep.streams() {
		if cursor, err := q.res.Store.Watch(q.r.Context(), p.Selected.Scope, p.Revision, p.Selected.Terms...); err == nil {
			defer cursor.Close()
			h.expired = cursor.Err
		}
	}
	q.hold(h, size)
	defer h.release()
	if err := q.writeListAs(rep, p, size); err != nil {
		return err
	}
	return h.ended()
}

// streams reports whether a list in this form is sent while it is made of its records.
func (rep representation) streams() bool { return rep.media == mediaJSON && !rep.pretty }

func (q *request) writeListAs(rep representation, p resource.Page, size int) error {
	var rows *tableWriter
	if rep.as == asTable {
		var err error
		if rows, err = q.tableWriter(rep); err != nil {
			return err
		}
	}
	if rep.media == mediaProtobuf {
		body, err := q.res.encodeProtobufList(rep, p)
		if err != nil {
			return err
		}
		clear(p.Records)
		return q.writeRaw(http.StatusOK, mediaProtobuf, body)
	}
	if !rep.streams() {
		return q.writeWholeList(rep, rows, p)
	}
	chunk := chunks.Get().(*[]byte)
	out := &chunkWriter{buf: (*chunk)[:0]}
	defer func() {
		if cap(out.buf) <= 4*(chunkSize+chunkSlack) {
			*chunk = out.buf
			chunks.Put(chunk)
		}
	}()
	defer func() { q.wrote = out.sent }() // also when a panic breaks it off
	h := q.w.Header()
	h["Content-Type"], h["Cache-Control"] = headerJSON, headerNoCache
	write := func(w io.Writer) error {
		out.w = w
		if err := q.appendList(out, rep, rows, p); err != nil {
			return err
		}
		out.send()
		return nil // a client that has gone away is no error of ours
	}
	if q.compresses(size) {
		return compressed(q.body(), write)
	}
	return write(q.body())
}

// sizeOf is how many bytes the objects have.
func sizeOf(records []*storage.Record) int {
	n := 0
	for _, r := range records {
		n += len(r.JSON)
	}
	return n
}

// writeWholeList sends a list that has to be rewritten as a whole.
func (q *request) writeWholeList(rep representation, rows *tableWriter, p resource.Page) error {
	var whole bytes.Buffer
	out := &chunkWriter{w: &whole}
	if err := q.appendList(out, rep, rows, p); err != nil {
		return err
	}
	out.send()
	return q.writeJSON(http.StatusOK, rep, whole.Bytes())
}

// appendList writes the JSON of a list: stored bytes, joined. It lets go of each record that it has written.
func (q *request) appendList(out *chunkWriter, rep representation, rows *tableWriter, p resource.Page) error {
	if rows != nil {
		return rows.appendTable(out, p)
	}
	apiVersion, kind := q.res.listType(rep)
	if rep.as == asPartial && len(p.Records) == 0 {
		out.buf = append(appendListHead(out.buf, apiVersion, kind, p), `null}`...)
		return nil
	}
	out.buf = append(appendListHead(out.buf, apiVersion, kind, p), '[')
	prefix := 0
	if !q.res.Dialect.ItemKinds {
		prefix = len(appendTypeMeta(nil, apiVersion, q.res.GVK.Kind))
	}
	for i, record := range p.Records {
		record, err := q.res.Show(record)
		if err != nil {
			return err
		}
		if i > 0 {
			out.buf = append(out.buf, ',')
		}
		p.Records[i] = nil
		switch {
		case rep.as == asPartial:
			out.buf = appendPartialRecord(out.buf, rep.metaVersion, record)
		case prefix > 0:
			out.buf = append(out.buf, '{')
			out.object(record.JSON[prefix:])
		default:
			out.object(record.JSON)
		}
		if out.full(); out.err != nil {
			return nil
		}
	}
	out.buf = append(out.buf, ']', '}')
	return nil
}

// listType is what a list of the resource is.
func (res *served) listType(rep representation) (apiVersion, kind string) {
	if rep.as == asPartial {
		return "meta.k8s.io/" + rep.metaVersion, "PartialObjectMetadataList"
	}
	return res.GVK.GroupVersion().String(), res.Kind.ListKind
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
func appendListHead(dst []byte, apiVersion, kind string, p resource.Page) []byte {
	dst = appendTypeMeta(dst, apiVersion, kind)
	dst = appendListMeta(append(dst, `"metadata":`...), p)
	return append(dst, `,"items":`...)
}

func appendListMeta(dst []byte, p resource.Page) []byte {
	dst = append(dst, '{')
	if p.Revision > 0 {
		dst = append(dst, `"resourceVersion":"`...)
		dst = strconv.AppendUint(dst, uint64(p.Revision), 10)
		dst = append(dst, '"')
	}
	if p.Token != "" {
		dst = append(dst, `,"continue":"`...)
		dst = append(dst, p.Token...)
		dst = append(dst, '"')
	}
	if p.Remaining != nil {
		dst = append(dst, `,"remainingItemCount":`...)
		dst = strconv.AppendInt(dst, *p.Remaining, 10)
	}
	return append(dst, '}')
}
