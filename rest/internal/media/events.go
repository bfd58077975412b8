package media

import (
	"runtime"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Events makes the events of one watch of objects, in its representation. It appends them to a
// buffer, and returns the buffer as it was with an error: what fails halfway must not reach the client before the error does.
type Events struct {
	kind    *Kind
	objects objects
	framing framing
}

// Event is a change as a watch tells of it. Its object is the record as the version shows it, which shall look as of the revision of
// the event: that of a deletion, for example, is not the record's own.
type Event = watch.Event[storage.Record]

// NewEvents returns what makes the events of a watch of objects of a kind. messages says that each event is a message of its own.
func NewEvents(k *Kind, rep Representation, messages bool) (Events, error) {
	objects, err := objectsOf(k, rep)
	return Events{kind: k, objects: objects, framing: framingOf(rep, messages)}, err
}

// Append appends an event. shared says that other watches are likely to send the same at about the same time.
func (e *Events) Append(buf []byte, event Event, shared bool) ([]byte, error) {
	if binary, ok := e.framing.(*binaryFraming); ok && shared {
		object, err := e.encoding(event, binary).object()
		if err != nil {
			return buf, err
		}
		return append(binary.head(buf, event.Type, len(object)), object...), nil
	}
	out, err := e.objects.object(e.framing.begin(buf, event.Type), event.Object, event.Revision)
	if len(event.Object.JSON) > ChunkSize {
		e.objects.forget()
	}
	return e.complete(buf, out, event.Type, err)
}

// encoding returns what all watches share that show a record in one binary form.
func (e *Events) encoding(event Event, binary *binaryFraming) *encoded {
	key := binary.key(event)
	if found := e.kind.encodings.get(key); found != nil {
		return found
	}
	return e.kind.encodings.add(key, false, func() ([]byte, error) {
		json, err := e.objects.object(nil, event.Object, event.Revision)
		if err != nil {
			return nil, err
		}
		return binary.encode(nil, json)
	})
}

// AppendBookmark appends a bookmark.
func (e *Events) AppendBookmark(buf []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	out, err := e.objects.bookmark(e.framing.begin(buf, watch.Bookmark), at, initialEventsEnd)
	return e.complete(buf, out, watch.Bookmark, err)
}

// AppendError appends an event about a Status, which is given as JSON.
func (e *Events) AppendError(buf, status []byte) ([]byte, error) {
	return e.complete(buf, append(e.framing.begin(buf, watch.Error), status...), watch.Error, nil)
}

// complete ends an event that out has after buf, unless it has failed.
func (e *Events) complete(buf, out []byte, event watch.EventType, err error) ([]byte, error) {
	if err == nil {
		out, err = e.framing.end(out, len(buf), event)
	}
	if err != nil {
		return buf, err
	}
	return out, nil
}

// Forget drops what is only kept to be used again.
func (e *Events) Forget() {
	e.objects.forget()
	e.framing.forget()
}

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
