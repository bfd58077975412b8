package media

import (
	"errors"
	"slices"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/storage"
)

// Field numbers of every list kind.
const (
	listMetaField = 1
	listItemField = 2
)

var errChanged = errors.New("an object changed its size while its list was written")

// protobuf writes a list in its envelope. All list kinds have the same message, except for the message of their items.
// The envelope states the size of the list before its items. So a list that is small, or for which there is room in
// memory, is encoded first. The items of any other list are encoded twice: to add up their sizes, and to write them.
func (w *ListWriter) protobuf(l List) error {
	meta, err := codec.FromGo(apimeta.ListMeta{
		ResourceVersion: strconv.FormatUint(uint64(l.Revision), 10), Continue: l.Continue, RemainingItemCount: l.Remaining,
	})
	if err != nil {
		return err
	}
	encoded, err := codec.ListMetaMessage().Append(nil, meta)
	if err != nil {
		return err
	}
	begin := codec.AppendField(nil, listMetaField, encoded)
	if size := l.Size(); size > ChunkSize {
		if !w.copies.takeForList(size) {
			return w.protobufTwice(l, begin)
		}
		defer w.copies.Release(size)
	}
	raw := slices.Grow(begin, l.Size()) // a message is hardly ever longer than its JSON
	for i, record := range l.Records {
		if raw, err = w.appendItem(raw, record); err != nil {
			return err
		}
		l.Records[i] = nil
	}
	w.buf = append(w.buf, codec.AppendEnvelopeHead(nil, w.envelope(), len(raw))...)
	w.bytes(raw)
	w.buf = codec.AppendEnvelopeTail(w.buf)
	return nil
}

func (w *ListWriter) protobufTwice(l List, begin []byte) error {
	size := len(begin)
	for _, record := range l.Records {
		item, err := w.appendItem(w.item[:0], record)
		if err != nil {
			return err
		}
		w.item = item
		size += len(item)
	}
	w.buf = codec.AppendEnvelopeHead(w.buf, w.envelope(), size)
	w.buf = append(w.buf, begin...)
	size -= len(begin)
	for i, record := range l.Records {
		item, err := w.appendItem(w.item[:0], record)
		if err != nil {
			return err
		}
		w.item, l.Records[i] = item, nil
		if size -= len(item); size < 0 {
			return errChanged
		}
		w.bytes(item)
		if w.full(); w.err != nil {
			return nil
		}
	}
	if size != 0 {
		return errChanged
	}
	w.buf = codec.AppendEnvelopeTail(w.buf)
	return nil
}

// envelope returns the envelope of the list, without its content.
func (w *ListWriter) envelope() codec.Envelope {
	apiVersion, kind := w.kind.listType(w.rep)
	return codec.Envelope{APIVersion: apiVersion, Kind: kind}
}

// appendItem appends a record as an item of the list's message. It returns an error once the client has left.
func (w *ListWriter) appendItem(dst []byte, record *storage.Record) ([]byte, error) {
	if err := w.ctx.Err(); err != nil {
		return dst, err
	}
	record, err := w.kind.show(record)
	if err != nil {
		return dst, err
	}
	object := record.JSON
	if w.rep.Form == AsPartial {
		object = appendPartialRecord(nil, w.rep.MetaVersion, record)
	}
	if w.message, err = w.rep.message.AppendStored(w.message[:0], object); err != nil {
		return dst, err
	}
	return codec.AppendField(dst, listItemField, w.message), nil
}
