package media

import (
	"context"
	"runtime"

	"github.com/decorum-go/decorum/storage"
)

// LargeEvent is an event whose object is not copied into a buffer.
type LargeEvent struct {
	Head   []byte // the buffer, up to the object
	Object []byte
	Tail   string
	Stored bool // Object is the text of the record itself
	shared *encoded
}

// IsLarge reports whether a record must be sent with AppendLarge.
func (e *Events) IsLarge(r *storage.Record) bool {
	return r.Len() > ChunkSize && e.objects.whole() != nil
}

// AppendLarge begins an event about a large object. However many watches send the object, memory holds at most one
// copy: they send the stored bytes, or one encoding that they share. The caller must call Done after it has sent the
// event.
func (e *Events) AppendLarge(ctx context.Context, buf []byte, event Event) (l LargeEvent, err error) {
	r := event.Object
	l = LargeEvent{Head: buf, Stored: true}
	if _, binary := e.framing.(*binaryFraming); binary || event.Revision != r.Revision || e.drops {
		l.shared, l.Stored = e.largeEncoding(ctx, event), false
		l.Object, err = l.shared.object()
	} else {
		l.Object, err = r.JSON(ctx)
	}
	if err != nil {
		return l, err
	}
	head, tail, err := e.objects.whole().around(e.framing.head(buf, event.Type, len(l.Object)), l.Object, event.Revision)
	if err == nil {
		l.Head, l.Tail = head, tail+e.framing.tail()
	}
	return l, err
}

// Done must come after the event is sent. Until then, the shared encoding stays alive and other watches find it.
func (l *LargeEvent) Done() { runtime.KeepAlive(l.shared) }

// largeEncoding returns the record, as it looks at the event's revision, in the form of the stream.
func (e *Events) largeEncoding(ctx context.Context, event Event) *encoded {
	key := encodingKey{of: event.Object.Revision, at: event.Revision, drops: e.drops}
	binary, _ := e.framing.(*binaryFraming)
	if binary != nil {
		key = binary.key(event)
	}
	detached := context.WithoutCancel(ctx) // other watches may use the encoding
	return e.kind.encodings.add(key, true, func() (json []byte, err error) {
		switch {
		case e.drops:
			json, err = appendDropped(detached, nil, event.Object, event.Revision)
		case event.Revision != event.Object.Revision:
			json, err = event.Object.AppendAt(detached, nil, event.Revision)
		default:
			json, err = event.Object.JSON(detached)
		}
		if binary == nil || err != nil {
			return json, err
		}
		return binary.encode(nil, json)
	})
}
