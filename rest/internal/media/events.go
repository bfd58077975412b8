package media

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Events encodes the events of one watch in its representation. It appends them to a buffer. If it fails, it returns
// the buffer without the event, so that no part of it reaches the client before the error does. One goroutine at a time
// may use it.
type Events struct {
	kind    *Kind
	objects objects
	framing framing
	drops   bool // see [Representation]
}

// Event is a change as a watch reports it. The object is a record in the version of the watch. It is shown with the
// revision of the event, which may differ from its own: for example, a deletion has a later revision than the deleted
// record.
type Event = watch.Event[storage.Record]

// NewEvents returns the encoder for a watch of a kind. messages says that each event is a message of its own, as on a
// WebSocket.
func NewEvents(k *Kind, rep *Representation, messages bool) (Events, error) {
	objects, err := objectsOf(k, rep)
	return Events{kind: k, objects: objects, framing: framingOf(rep, messages), drops: rep.Drops}, err
}

// Append appends an event. shared says that other watches probably send the same event at about the same time, so its
// encoding is worth sharing.
func (e *Events) Append(ctx context.Context, buf []byte, event Event, shared bool) ([]byte, error) {
	if binary, ok := e.framing.(*binaryFraming); ok && shared {
		object, err := e.encoding(ctx, event, binary).object()
		if err != nil {
			return buf, err
		}
		return append(binary.head(buf, event.Type, len(object)), object...), nil
	}
	out, err := e.objects.object(ctx, e.framing.begin(buf, event.Type), event.Object, event.Revision)
	if event.Object.Len() > ChunkSize {
		e.objects.forget()
	}
	return e.complete(buf, out, event.Type, err)
}

// AppendBookmark appends a bookmark.
func (e *Events) AppendBookmark(buf []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	out, err := e.objects.bookmark(e.framing.begin(buf, apimeta.EventBookmark), at, initialEventsEnd)
	return e.complete(buf, out, apimeta.EventBookmark, err)
}

// AppendError appends an event with a Status, which is given as JSON.
func (e *Events) AppendError(buf, status []byte) ([]byte, error) {
	return e.complete(buf, append(e.framing.begin(buf, apimeta.EventError), status...), apimeta.EventError, nil)
}

// complete ends the event in out after buf. If err is not nil, it returns buf without the event.
func (e *Events) complete(buf, out []byte, event apimeta.EventType, err error) ([]byte, error) {
	if err == nil {
		out, err = e.framing.end(out, len(buf), event)
	}
	if err != nil {
		return buf, err
	}
	return out, nil
}

// Forget releases the buffers that are kept for reuse. A watch calls it before it waits.
func (e *Events) Forget() {
	e.objects.forget()
	e.framing.forget()
}

// objects encodes as JSON what a watch shows of its objects.
type objects interface {
	// object appends a record as it looks at a revision.
	object(ctx context.Context, dst []byte, r *storage.Record, at watch.Revision) ([]byte, error)
	bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error)
	// whole returns nil if the watch shows only parts of its objects.
	whole() surroundings
	// forget drops what is only kept to be used again.
	forget()
}

// surroundings encodes what a watch shows around a whole object.
type surroundings interface {
	// around appends what comes before the JSON of the object, and returns what comes after it.
	around(dst, object []byte, at watch.Revision) (head []byte, tail string, err error)
}

// objectsOf returns the objects of a representation.
func objectsOf(k *Kind, rep *Representation) (objects, error) {
	switch rep.Form {
	case AsTable:
		t, err := newTableWriter(k, rep)
		return &tableObjects{tableWriter: t}, err
	case AsPartial:
		return &partialObjects{metaVersion: rep.MetaVersion, drops: rep.Drops}, nil
	}
	return wholeObjects{k, rep.Drops}, nil
}

// wholeObjects shows whole objects as the stored bytes, with or without their managedFields.
type wholeObjects struct {
	kind  *Kind
	drops bool
}

func (v wholeObjects) whole() surroundings { return v }

func (v wholeObjects) around(dst, _ []byte, _ watch.Revision) ([]byte, string, error) {
	return dst, "", nil
}

func (v wholeObjects) object(ctx context.Context, dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	switch {
	case v.drops:
		return appendDropped(ctx, dst, r, at)
	case at == r.Revision:
		text, err := r.JSON(ctx)
		return append(dst, text...), err
	}
	return r.AppendAt(ctx, dst, at)
}

func (v wholeObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	return v.kind.appendBookmark(dst, at, initialEventsEnd), nil
}

func (v wholeObjects) forget() {}

// framing puts events around objects, in the media type of the stream. Between begin and end, the caller appends the
// object's JSON.
type framing interface {
	begin(dst []byte, event apimeta.EventType) []byte
	// end completes the event that begins at start.
	end(dst []byte, start int, event apimeta.EventType) ([]byte, error)
	// head appends what comes before an object that is already encoded and has this size. tail returns what comes after
	// it.
	head(dst []byte, event apimeta.EventType, size int) []byte
	tail() string
	// forget drops what is only kept to be used again.
	forget()
}

// framingOf returns the framing of a representation, or the framing of JSON if its media type has no watches. messages
// means that each event is sent as a separate message, which needs no length in front.
func framingOf(rep *Representation, messages bool) framing {
	if framing := rep.format().framing; framing != nil {
		return framing(rep, messages)
	}
	return jsonFraming{}
}

// jsonFraming writes each event on one line.
type jsonFraming struct{}

const jsonTail = "}\n"

func (jsonFraming) begin(dst []byte, event apimeta.EventType) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, event...)
	return append(dst, `","object":`...)
}

func (jsonFraming) end(dst []byte, _ int, _ apimeta.EventType) ([]byte, error) {
	return append(dst, jsonTail...), nil
}

func (f jsonFraming) head(dst []byte, event apimeta.EventType, _ int) []byte {
	return f.begin(dst, event)
}

func (jsonFraming) tail() string { return jsonTail }

func (jsonFraming) forget() {}
