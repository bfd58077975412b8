package media

import (
	"runtime"

	"github.com/decorum-go/decorum/storage"
)

// LargeEvent is an event about an object that is not copied into a buffer.
type LargeEvent struct {
	Head   []byte // the buffer, with what comes before the object
	Object []byte
	Tail   string
	Stored bool // the object is the record's own text
	shared *encoded
}

// IsLarge reports whether a record is sent with AppendLarge.
func (e *Events) IsLarge(r *storage.Record) bool {
	return len(r.JSON) > ChunkSize && e.objects.whole() != nil
}

// AppendLarge begins an event about a large object. However many watches send it, they copy it at most once: they write it from
// the store, or from one encoding that they share.
func (e *Events) AppendLarge(buf []byte, event Event) (LargeEvent, error) {
	r := event.Object
	l := LargeEvent{Head: buf, Object: r.JSON, Stored: true}
	if _, binary := e.framing.(*binaryFraming); binary || event.Revision != r.Revision {
		l.shared, l.Stored = e.largeEncoding(event), false
		var err error
		if l.Object, err = l.shared.object(); err != nil {
			return l, err
		}
	}
	head, tail, err := e.objects.whole().around(e.framing.head(buf, event.Type, len(l.Object)), l.Object, event.Revision)
	if err == nil {
		l.Head, l.Tail = head, tail+e.framing.tail()
	}
	return l, err
}

// Done follows the sending of the event. Until then other watches find what it shares with them.
func (l *LargeEvent) Done() { runtime.KeepAlive(l.shared) }

// largeEncoding returns the record as it looks at a revision, in the form of the stream.
func (e *Events) largeEncoding(event Event) *encoded {
	key := encodingKey{of: event.Object.Revision, at: event.Revision}
	binary, _ := e.framing.(*binaryFraming)
	if binary != nil {
		key = binary.key(event)
	}
	return e.kind.encodings.add(key, true, func() ([]byte, error) {
		json := event.Object.JSON
		if event.Revision != event.Object.Revision {
			json = event.Object.AppendAt(nil, event.Revision)
		}
		if binary == nil {
			return json, nil
		}
		return binary.encode(nil, json)
	})
}
