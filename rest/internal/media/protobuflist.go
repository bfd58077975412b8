package media

import (
	"errors"
	"strconv"
	"sync"

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

// protobufList is what the writer of a list in Protobuf computes before it writes, because the envelope states the size
// of the list before the items. All list kinds have the same message, except for the message of their items.
type protobufList struct {
	begin []byte // the message of the list up to its first item
	size  int    // the size of the message of the list, in bytes
	// items are the messages of the items, if there is room for them in memory. Those of any other list are encoded twice:
	// to add up their sizes, and to write them.
	items    *[][]byte
	reserved int64 // the bytes that the budget counts for the messages
	cached   bool  // the cache keeps the messages
}

// itemBuffers lends buffers for the messages of lists, so that a long list does not allocate one each time.
var itemBuffers = sync.Pool{New: func() any { b := make([][]byte, 0, 512); return &b }}

// release gives back what the list has borrowed.
func (p *protobufList) release(budget *storage.Budget) {
	if p.reserved > 0 {
		budget.Release(p.reserved)
	}
	if p.items != nil {
		clear(*p.items)
		*p.items = (*p.items)[:0]
		itemBuffers.Put(p.items)
	}
	*p = protobufList{}
}

// measure adds up the size of a list. It keeps the messages of the items, and clears their records, if there is room.
func (w *ListWriter) measure(l List) error {
	p := &w.protobuf
	described := apimeta.ListMeta{ResourceVersion: strconv.FormatUint(uint64(l.Revision), 10), Continue: l.Continue,
		RemainingItemCount: l.Remaining}
	if l.Shard != "" {
		described.ShardInfo = &apimeta.ShardInfo{Selector: l.Shard}
	}
	meta, err := codec.FromGo(described)
	if err != nil {
		return err
	}
	encoded, err := codec.ListMetaMessage().Append(nil, meta)
	if err != nil {
		return err
	}
	size := l.Size()
	p.cached = size <= w.messages.largestList
	if size > ChunkSize && w.budget.Take(int64(size)) {
		p.reserved = int64(size)
	}
	if size <= ChunkSize || p.reserved > 0 {
		p.items = itemBuffers.Get().(*[][]byte)
	}
	p.begin = codec.AppendField(nil, listMetaField, encoded)
	p.size = len(p.begin)
	for i, record := range l.Records {
		message, err := w.message(record, p.items != nil)
		if err != nil {
			return err
		}
		if p.size += itemSize(message); p.items != nil {
			*p.items, l.Records[i] = append(*p.items, message), nil
		}
	}
	return nil
}

// itemSize returns the size of an item in the message of a list.
func itemSize(message []byte) int {
	var room [16]byte
	return len(codec.AppendFieldHead(room[:0], listItemField, len(message))) + len(message)
}

// envelope appends the envelope of the list up to the list.
func (w *ListWriter) envelope(dst []byte) []byte {
	apiVersion, kind := w.kind.listType(w.rep)
	return codec.AppendEnvelopeHead(dst, codec.Envelope{APIVersion: apiVersion, Kind: kind}, w.protobuf.size)
}

// writeProtobuf writes a list in its envelope, except for its last chunk.
func (w *ListWriter) writeProtobuf(l List) error {
	p := &w.protobuf
	if p.begin == nil {
		if err := w.measure(l); err != nil {
			return err
		}
	}
	w.buf = append(w.envelope(w.buf), p.begin...)
	left := p.size - len(p.begin)
	for i, record := range l.Records {
		message, err := w.measured(i, record)
		if err != nil {
			return err
		}
		l.Records[i] = nil
		if left -= itemSize(message); left < 0 {
			return errChanged
		}
		w.buf = codec.AppendFieldHead(w.buf, listItemField, len(message))
		if w.bytes(message); w.err != nil {
			return nil
		}
		w.full()
	}
	if left != 0 {
		return errChanged
	}
	w.buf = codec.AppendEnvelopeTail(w.buf)
	return nil
}

// measured returns the message of the item with this index and record, which measure has counted.
func (w *ListWriter) measured(i int, record *storage.Record) ([]byte, error) {
	items := w.protobuf.items
	if items == nil {
		if err := resume(w.to); err != nil {
			return nil, err
		}
		return w.message(record, false)
	}
	message := (*items)[i]
	(*items)[i] = nil
	return message, nil
}
