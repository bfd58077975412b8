package codec

import (
	"encoding/binary"
	"errors"
	"math"
)

// The wire format of Protocol Buffers: a message is a sequence of fields, each a number and a type, then the value.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

// ErrWire means that the bytes are not a protobuf message.
var ErrWire = errors.New("the protobuf message is malformed")

// wireField is one field of a message: a number for varints, the bits of a double in the same place, and bytes for
// strings, bytes and messages.
type wireField struct {
	number int
	typ    int
	varint uint64
	bytes  []byte
}

// eachField calls f for every field of a message, in the order of the bytes.
func eachField(message []byte, f func(wireField) error) error {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
			return ErrWire
		}
		message = message[n:]
		field := wireField{number: int(tag >> 3), typ: int(tag & 7)}
		switch field.typ {
		case wireVarint:
			if field.varint, n = binary.Uvarint(message); n <= 0 {
				return ErrWire
			}
			message = message[n:]
		case wireBytes:
			length, n := binary.Uvarint(message)
			if n <= 0 || length > uint64(len(message)-n) {
				return ErrWire
			}
			field.bytes = message[n : n+int(length)]
			message = message[n+int(length):]
		case wire64, wire32:
			size := 8
			if field.typ == wire32 {
				size = 4
			}
			if len(message) < size {
				return ErrWire
			}
			if field.typ == wire64 {
				field.varint = binary.LittleEndian.Uint64(message)
			}
			message = message[size:]
		default:
			return ErrWire
		}
		if err := f(field); err != nil {
			return err
		}
	}
	return nil
}

func appendTag(dst []byte, number, typ int) []byte {
	return binary.AppendUvarint(dst, uint64(number)<<3|uint64(typ))
}

// AppendField appends a field that holds a string, bytes or a message.
func AppendField(dst []byte, number int, value []byte) []byte {
	return append(AppendFieldHead(dst, number, len(value)), value...)
}

// AppendFieldHead appends a field that holds a string, bytes or a message of this size, up to its value.
func AppendFieldHead(dst []byte, number, size int) []byte {
	return binary.AppendUvarint(appendTag(dst, number, wireBytes), uint64(size))
}

// AppendVarintField appends a field that holds an integer, or a boolean as 0 or 1.
func AppendVarintField(dst []byte, number int, value uint64) []byte {
	return binary.AppendUvarint(appendTag(dst, number, wireVarint), value)
}

// AppendDoubleField appends a field that holds a double.
func AppendDoubleField(dst []byte, number int, value float64) []byte {
	return binary.LittleEndian.AppendUint64(appendTag(dst, number, wire64), math.Float64bits(value))
}
