package media

import (
	"bytes"

	"github.com/decorum-go/decorum/rest/internal/generations"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Messages caches the Protobuf messages of the objects that lists show, so that the next list encodes only the objects
// that have changed. A committed record never changes, so an entry never becomes stale; it is dropped only for lack of
// room. Any goroutine may use it.
type Messages struct {
	entries *generations.Cache[messageKey, []byte]
	// largestList is the size of the largest list whose messages the cache keeps. The messages of a larger list would
	// displace each other.
	largestList int
}

// messageKey identifies the message of a record. Each commit has its own revision, so the revision identifies the
// record.
type messageKey struct {
	kind     int64 // the serial number of the kind; a pointer would keep the kind in memory
	form     Form
	drops    bool
	revision watch.Revision
}

// NewMessages returns a cache that keeps at most maxBytes, which it takes from the budget.
func NewMessages(budget *storage.Budget, maxBytes int64) *Messages {
	return &Messages{generations.New[messageKey, []byte](budget, maxBytes), int(maxBytes / 2)}
}

// messageOverhead is about the memory that an entry needs besides its message.
const messageOverhead = 150

// message returns the message of a record as an item of the list. keep says that the message must stay as it is;
// otherwise it is overwritten by the next one.
func (w *ListWriter) message(record *storage.Record, keep bool) ([]byte, error) {
	if err := w.ctx.Err(); err != nil { // the client has left
		return nil, err
	}
	key := messageKey{w.kind.serial, w.rep.Form, w.rep.Drops, record.Revision}
	if found, ok := w.messages.entries.Get(key); ok {
		return found, nil
	}
	record, err := w.kind.show(w.ctx, record)
	if err != nil {
		return nil, err
	}
	object, err := record.JSON(w.inOrder)
	if err != nil {
		return nil, err
	}
	switch {
	case w.rep.Form == AsPartial:
		object = appendPartialParts(nil, w.rep.MetaVersion, object, &record.Extracted, w.rep.Drops)
	case w.rep.Drops:
		object = appendCut(nil, object, 0, len(object), record.ManagedFields)
	}
	if w.item, err = w.rep.message.AppendStored(w.item[:0], object); err != nil || !keep {
		return w.item, err
	}
	message := bytes.Clone(w.item)
	if key.revision > 0 && w.protobuf.cached { // an object that is not committed yet changes without a new revision
		w.messages.entries.Put(key, message, int64(len(message)+messageOverhead))
	}
	return message, nil
}
