package media

import (
	"context"
	"encoding/binary"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
)

// encoding returns a record in a binary form. All watches that send the record in this form share it.
func (e *Events) encoding(ctx context.Context, event Event, binary *binaryFraming) *encoded {
	key := binary.key(event)
	if found := e.kind.encodings.get(key); found != nil {
		return found
	}
	detached := context.WithoutCancel(ctx) // other watches may use the encoding
	return e.kind.encodings.add(key, false, func() ([]byte, error) {
		json, err := e.objects.object(detached, nil, event.Object, event.Revision)
		if err != nil {
			return nil, err
		}
		return binary.encode(nil, json)
	})
}

// binaryFraming encodes the JSON of an object in a binary form and puts an event around it.
type binaryFraming struct {
	named encodingKey // the key of all objects in this form; the revisions are zero
	form
	object []byte
}

// form is a binary encoding of events.
type form interface {
	encode(dst, json []byte) ([]byte, error)
	encodeStatus(dst, json []byte) ([]byte, error)
	// head appends the part of an event before its object, which is already encoded and has this size.
	head(dst []byte, event apimeta.EventType, size int) []byte
}

// key returns the key of an event's object in this form.
func (f *binaryFraming) key(event Event) encodingKey {
	key := f.named
	key.of, key.at = event.Object.Revision, event.Revision
	return key
}

func (f *binaryFraming) begin(dst []byte, _ apimeta.EventType) []byte { return dst }

// end encodes the JSON that the caller has appended, and replaces it by the event.
func (f *binaryFraming) end(dst []byte, start int, event apimeta.EventType) ([]byte, error) {
	encode := f.encode
	if event == apimeta.EventError {
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

// protobufForm encodes events as the Protobuf message WatchEvent. In a stream, prefixed puts the length of the message
// in front, in four bytes.
type protobufForm struct {
	message  Message
	prefixed bool
}

// Field numbers of WatchEvent and of the RawExtension in it.
const (
	eventTypeField   = 1
	eventObjectField = 2
	rawField         = 1
)

func (f *protobufForm) encode(dst, json []byte) ([]byte, error) {
	return appendProtobuf(dst, f.message, json)
}

func (f *protobufForm) encodeStatus(dst, json []byte) ([]byte, error) {
	return appendProtobuf(dst, statusMessage(), json)
}

// head appends the fields of WatchEvent, up to the bytes of the object.
func (f *protobufForm) head(dst []byte, event apimeta.EventType, size int) []byte {
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

// cborForm encodes an event as one item of a CBOR sequence (RFC 8742): a map of type and object.
type cborForm struct{ transcoder Transcoder }

// Bytes of CBOR (RFC 8949). Texts are encoded as byte strings, as everywhere in Kubernetes.
const (
	cborMap2       = 0xa2
	cborByteString = 0x40 // plus a length below 24
)

// cborTag marks the bytes after it as CBOR (RFC 8949, section 3.4.6).
var cborTag = []byte{0xd9, 0xd9, 0xf7}

func (f cborForm) encode(dst, json []byte) ([]byte, error) {
	return f.transcoder.AppendFromJSON(dst, json)
}

func (f cborForm) encodeStatus(dst, json []byte) ([]byte, error) { return f.encode(dst, json) }

// head appends the map of the event, up to the object.
func (cborForm) head(dst []byte, event apimeta.EventType, _ int) []byte {
	dst = append(dst, cborTag...)
	dst = append(dst, cborMap2)
	for _, text := range [...]string{"type", string(event), "object"} {
		dst = append(dst, cborByteString+byte(len(text)))
		dst = append(dst, text...)
	}
	return dst
}
