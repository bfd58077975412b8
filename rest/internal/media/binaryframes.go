package media

import (
	"encoding/binary"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/watch"
)

// protobufForm is a WatchEvent, in a stream after its length in four bytes.
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
