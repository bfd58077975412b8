package media

import (
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Events makes the events of one watch, in its representation. It appends them to a buffer, and returns the buffer as it was with
// an error: what fails halfway must not reach the client before the error does.
type Events struct {
	kind    *Kind
	objects objects
	framing framing
}

// Event is a change as a watch tells of it. Its object is the record as the version shows it, which shall look as of the revision of
// the event: that of a deletion, for example, is not the record's own.
type Event = watch.Event[storage.Record]

// NewEvents returns what makes the events of a watch of objects of a kind. messages says that each event is a message of its own.
func NewEvents(k *Kind, rep *Representation, messages bool) (Events, error) {
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

// objects are what a watch shows of its objects, as JSON.
type objects interface {
	// object appends a record as it shall look at a revision.
	object(dst []byte, r *storage.Record, at watch.Revision) ([]byte, error)
	bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error)
	// whole is nil if they show only a part of an object.
	whole() surroundings
	// forget drops what is only kept to be used again.
	forget()
}

// surroundings are what a watch shows besides a whole object.
type surroundings interface {
	// around appends what precedes the JSON of the object, and returns what follows it.
	around(dst, object []byte, at watch.Revision) (head []byte, tail string, err error)
}

// objectsOf returns what a watch in a representation shows of the objects of a kind.
func objectsOf(k *Kind, rep *Representation) (objects, error) {
	switch rep.Form {
	case AsTable:
		t, err := newTableWriter(k, rep)
		return &tableObjects{tableWriter: t}, err
	case AsPartial:
		return &partialObjects{metaVersion: rep.MetaVersion}, nil
	}
	return wholeObjects{k}, nil
}

// wholeObjects shows whole objects: the stored bytes.
type wholeObjects struct{ kind *Kind }

func (v wholeObjects) whole() surroundings { return v }

func (v wholeObjects) around(dst, _ []byte, _ watch.Revision) ([]byte, string, error) {
	return dst, "", nil
}

func (v wholeObjects) object(dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	if at == r.Revision {
		return append(dst, r.JSON...), nil
	}
	return r.AppendAt(dst, at), nil
}

func (v wholeObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	return v.kind.appendBookmark(dst, at, initialEventsEnd), nil
}

func (v wholeObjects) forget() {}

// framing makes events of objects, in the media type of the stream. What is appended to dst between begin and end is the
// object's JSON.
type framing interface {
	begin(dst []byte, event watch.EventType) []byte
	// end completes the event that begins at start.
	end(dst []byte, start int, event watch.EventType) ([]byte, error)
	// head appends what comes before an object that is encoded already and has this size, and tail is what comes after it.
	head(dst []byte, event watch.EventType, size int) []byte
	tail() string
	// forget drops what is only kept to be used again.
	forget()
}

// framingOf returns the framing of a stream in a representation, or of messages, which know where they end.
func framingOf(rep *Representation, messages bool) framing {
	switch rep.Media {
	case Protobuf:
		return &binaryFraming{named: keyOf(rep), form: &protobufForm{message: rep.message, prefixed: !messages}}
	case CBOR:
		return &binaryFraming{named: keyOf(rep), form: cborForm{rep.cbor}}
	}
	return jsonFraming{}
}

// jsonFraming writes an event in a line.
type jsonFraming struct{}

const jsonTail = "}\n"

func (jsonFraming) begin(dst []byte, event watch.EventType) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, event...)
	return append(dst, `","object":`...)
}

func (jsonFraming) end(dst []byte, _ int, _ watch.EventType) ([]byte, error) {
	return append(dst, jsonTail...), nil
}

func (f jsonFraming) head(dst []byte, event watch.EventType, _ int) []byte {
	return f.begin(dst, event)
}

func (jsonFraming) tail() string { return jsonTail }

func (jsonFraming) forget() {}
