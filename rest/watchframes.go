package rest

import (
	"encoding/binary"
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// watchObjects are what a watch shows of its objects, as JSON.
type watchObjects interface {
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

func (q *request) watchObjects(rep representation) (watchObjects, error) {
	switch rep.as {
	case asTable:
		t, err := q.tableWriter(rep)
		return &tableObjects{tableWriter: t}, err
	case asPartial:
		return &partialObjects{metaVersion: rep.metaVersion}, nil
	}
	return &wholeObjects{q.res}, nil
}

// wholeObjects shows whole objects: the stored bytes.
type wholeObjects struct{ res *served }

func (v *wholeObjects) whole() surroundings { return v }

func (v *wholeObjects) around(dst, _ []byte, _ watch.Revision) ([]byte, string, error) {
	return dst, "", nil
}

func (v *wholeObjects) object(dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	if at == r.Revision {
		return append(dst, r.JSON...), nil
	}
	return r.AppendAt(dst, at), nil
}

func (v *wholeObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	return v.res.appendBookmark(dst, at, initialEventsEnd), nil
}

// appendBookmark appends the object of a bookmark.
func (res *served) appendBookmark(dst []byte, at watch.Revision, initialEventsEnd bool) []byte {
	dst = appendTypeMeta(dst, res.GVK.GroupVersion().String(), res.GVK.Kind)
	return append(append(appendBookmarkMeta(dst, at, initialEventsEnd), res.bookmarkRest...), '}')
}

// addBookmarks prepares what the object of a bookmark has after its metadata. For built-in kinds it is what Go writes of an
// object in which nothing is set.
func (res *served) addBookmarks() error {
	if !res.Dialect.GoWritten {
		return nil
	}
	empty, err := res.GoType.FromDocument(doc.MapOf())
	if err != nil {
		return err
	}
	v, err := res.GoType.ToDocument(empty)
	if err != nil {
		return err
	}
	for _, field := range []string{"apiVersion", "kind", "metadata"} {
		v = v.Without(field)
	}
	if v.Len() > 0 {
		written := codec.AppendJSON(nil, v)
		written[0] = ','
		res.bookmarkRest = written[:len(written)-1]
	}
	return nil
}

func (v *wholeObjects) forget() {}

func appendBookmarkMeta(dst []byte, at watch.Revision, initialEventsEnd bool) []byte {
	dst = append(dst, `"metadata":{"resourceVersion":"`...)
	dst = strconv.AppendUint(dst, uint64(at), 10)
	dst = append(dst, '"')
	if initialEventsEnd {
		dst = append(dst, `,"annotations":{"k8s.io/initial-events-end":"true"}`...)
	}
	return append(dst, '}')
}

// partialObjects shows PartialObjectMetadata.
type partialObjects struct {
	metaVersion string
	spliced     []byte
}

func (v *partialObjects) whole() surroundings { return nil }

func (v *partialObjects) object(dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	if at == r.Revision {
		return appendPartialRecord(dst, v.metaVersion, r), nil
	}
	v.spliced = r.AppendAt(v.spliced[:0], at)
	return appendPartial(dst, v.metaVersion, v.spliced)
}

func (v *partialObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	dst = appendTypeMeta(dst, "meta.k8s.io/"+v.metaVersion, "PartialObjectMetadata")
	return append(appendBookmarkMeta(dst, at, initialEventsEnd), '}'), nil
}

func (v *partialObjects) forget() { v.spliced = nil }

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

// framing is that of a stream, or of the messages of a WebSocket, which know where they end.
func (q *request) framing(rep representation, messages bool) framing {
	switch rep.media {
	case mediaProtobuf:
		return &binaryFraming{rep: rep, form: &protobufForm{wire: rep.wire, prefixed: !messages}}
	case mediaCBOR:
		return &binaryFraming{rep: rep, form: cborForm{q.api.options.CBOR}}
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

// binaryFraming translates the JSON of an object and puts an event around it.
type binaryFraming struct {
	rep representation
	form
	object []byte
}

// form is a binary form of events.
type form interface {
	encode(dst, json []byte) ([]byte, error)
	encodeStatus(dst, json []byte) ([]byte, error)
	// head appends an event about an encoded object of this size, up to the object.
	head(dst []byte, event watch.EventType, size int) []byte
}

// key names a record as it looks at a revision, in this form.
func (f *binaryFraming) key(r *storage.Record, at watch.Revision) encodingKey {
	return encodingKey{of: r.Revision, at: at, media: f.rep.media, as: f.rep.as, metaVersion: f.rep.metaVersion}
}

func (f *binaryFraming) begin(dst []byte, _ watch.EventType) []byte { return dst }

func (f *binaryFraming) end(dst []byte, start int, event watch.EventType) ([]byte, error) {
	encode := f.encode
	if event == watch.Error {
		encode = f.encodeStatus
	}
	var err error
	if f.object, err = encode(f.object[:0], dst[start:]); err != nil {
		return dst[:start], err
	}
	return append(f.head(dst[:start], event, len(f.object)), f.object...), nil
}

func (f *binaryFraming) tail() string { return "" }

func (f *binaryFraming) forget() { f.object = nil }

// protobufForm is a WatchEvent, in a stream after its length in four bytes.
type protobufForm struct {
	wire     wireCodec
	prefixed bool
}

// Field numbers of WatchEvent and of the RawExtension in it.
const (
	eventTypeField   = 1
	eventObjectField = 2
	rawField         = 1
)

func (f *protobufForm) encode(dst, json []byte) ([]byte, error) {
	return appendProtobuf(dst, f.wire, json)
}

func (f *protobufForm) encodeStatus(dst, json []byte) ([]byte, error) {
	return appendProtobuf(dst, statusWire(), json)
}

func (f *protobufForm) head(dst []byte, event watch.EventType, size int) []byte {
	var room [16]byte
	raw := codec.AppendFieldHead(room[:0], rawField, size)
	start := len(dst)
	if f.prefixed {
		dst = append(dst, 0, 0, 0, 0)
	}
	begin := len(dst)
	dst = codec.AppendField(dst, eventTypeField, []byte(event))
	dst = codec.AppendFieldHead(dst, eventObjectField, len(raw)+size)
	dst = append(dst, raw...)
	if f.prefixed {
		binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-begin+size))
	}
	return dst
}

// cborForm is one item of a CBOR sequence (RFC 8742): a map of type and object.
type cborForm struct{ transcoder Transcoder }

// Bytes of CBOR (RFC 8949). Texts are byte strings, as in all that is encoded.
const (
	cborMap2       = 0xa2
	cborByteString = 0x40 // and the length, below 24
)

// cborTag marks what follows as CBOR (section 3.4.6).
var cborTag = []byte{0xd9, 0xd9, 0xf7}

func (f cborForm) encode(dst, json []byte) ([]byte, error) {
	return f.transcoder.AppendFromJSON(dst, json)
}

func (f cborForm) encodeStatus(dst, json []byte) ([]byte, error) { return f.encode(dst, json) }

func (cborForm) head(dst []byte, event watch.EventType, _ int) []byte {
	dst = append(dst, cborTag...)
	dst = append(dst, cborMap2)
	for _, text := range [...]string{"type", string(event), "object"} {
		dst = append(dst, cborByteString+byte(len(text)))
		dst = append(dst, text...)
	}
	return dst
}
