package codec

import (
	"encoding/base64"
	"fmt"
	"math"
	"time"

	"github.com/decorum-go/decorum/internal/doc"
)

// Message describes how the field numbers of a Protobuf message map to the members of a document. Package codec needs
// no generated code: it has a Message for each kind that the library decodes itself (DeleteOptions, Scale, discovery),
// and derives the Message of a Go type from its protobuf tags. A Message may contain itself.
type Message struct {
	fields []MessageField
	// union says that a document represents the message by the value of one of its fields: a list, the map of another
	// message, a text, or a boolean. The message has at most one field of each of these four types.
	union bool
}

// MessageField is one member of a [Message].
type MessageField struct {
	Number int
	// Name is empty for a message whose fields are members of the document itself.
	Name string
	Type FieldType
	// Of describes the message of a MessageType, or of the values of a MapType. It is nil for a map of strings.
	Of *Message
	// Repeated marks a list.
	Repeated bool
}

// FieldType is the encoding of the value of a field.
type FieldType int

// The field types that kinds use.
const (
	StringType FieldType = iota
	BoolType
	IntType
	DoubleType
	BytesType     // a text in base64 in the document
	TimeType      // a message of seconds and nanoseconds; in the document, an RFC 3339 text in whole seconds
	MicroTimeType // a TimeType with six digits of a second
	MessageType
	MapType
	JSONType // a message that holds JSON text in its field 1; in the document, the value of that text
)

// wire returns the type that the value of a field has on the wire.
func (t FieldType) wire() int {
	switch t {
	case BoolType, IntType:
		return wireVarint
	case DoubleType:
		return wire64
	}
	return wireBytes
}

// NewMessage returns the description of a message with these fields.
func NewMessage(fields ...MessageField) *Message { return &Message{fields: fields} }

func (m *Message) field(number int) (MessageField, bool) {
	for _, f := range m.fields {
		if f.Number == number {
			return f, true
		}
	}
	return MessageField{}, false
}

// Decode reads a message as a document. It ignores fields without a description. It returns [ErrWire] for bytes that
// are not a message, and [ErrTooDeep] for a document that is nested deeper than [doc.MaxDepth].
func (m *Message) Decode(data []byte) (doc.Value, error) {
	v, err := m.decode(data, doc.MaxDepth)
	if err == nil && v.DeeperThan(doc.MaxDepth) { // each message is within the limit, but they are nested
		err = ErrTooDeep
	}
	return v, err
}

// decode reads a message that may contain levels of nested messages.
func (m *Message) decode(data []byte, levels int) (doc.Value, error) {
	if levels == 0 {
		return doc.Value{}, ErrTooDeep
	}
	lists := map[string][]doc.Value{}
	maps := map[string][]doc.Member{}
	var members []doc.Member
	err := eachField(data, func(w wireField) error {
		f, ok := m.field(w.number)
		if !ok {
			return nil
		}
		if f.Type == MapType {
			key, value, err := decodeEntry(f, w, levels)
			if err != nil {
				return err
			}
			maps[f.Name] = append(maps[f.Name], doc.Member{Key: key, Value: value})
			return nil
		}
		v, err := f.decode(w, levels)
		if err != nil {
			return err
		}
		if f.Repeated {
			lists[f.Name] = append(lists[f.Name], v)
			return nil
		}
		if f.Name == "" {
			for key, value := range v.Members() {
				members = append(members, doc.Member{Key: key, Value: value})
			}
			return nil
		}
		members = append(members, doc.Member{Key: f.Name, Value: v})
		return nil
	})
	if err != nil {
		return doc.Value{}, err
	}
	for name, values := range lists {
		members = append(members, doc.Member{Key: name, Value: doc.ListOf(values...)})
	}
	for name, entries := range maps {
		members = append(members, doc.Member{Key: name, Value: doc.MapOf(entries...)})
	}
	v := doc.MapOf(members...)
	if m.union {
		return m.chosen(v), nil
	}
	return v, nil
}

func (f MessageField) decode(w wireField, levels int) (doc.Value, error) {
	if w.typ != f.Type.wire() {
		return doc.Value{}, fmt.Errorf("%w: field %q has another type", ErrWire, f.Name)
	}
	switch f.Type {
	case BoolType:
		return doc.OfBool(w.varint != 0), nil
	case IntType:
		return doc.OfInt(int64(w.varint)), nil
	case DoubleType:
		return doc.OfFloat(math.Float64frombits(w.varint)), nil
	case BytesType:
		return doc.Of(base64.StdEncoding.EncodeToString(w.bytes)), nil
	case TimeType, MicroTimeType:
		return decodeTime(w.bytes, f.layout())
	case MessageType:
		return f.Of.decode(w.bytes, levels-1)
	case JSONType:
		return decodeRaw(w.bytes)
	default:
		return doc.Of(string(w.bytes)), nil
	}
}

// Field numbers of a map's entry.
const (
	entryKey   = 1
	entryValue = 2
)

// decodeEntry reads an entry of a map. A missing value is the empty text, because Protobuf does not write empty values.
func decodeEntry(f MessageField, w wireField, levels int) (key string, value doc.Value, err error) {
	value = doc.Of("")
	err = eachField(w.bytes, func(e wireField) error {
		switch e.number {
		case entryKey:
			key = string(e.bytes)
		case entryValue:
			if f.Of == nil {
				value = doc.Of(string(e.bytes))
				return nil
			}
			value, err = MessageField{Name: f.Name, Type: MessageType, Of: f.Of}.decode(e, levels)
			return err
		}
		return nil
	})
	return key, value, err
}

// rawJSON is the field of a message that holds JSON text.
const rawJSON = 1

func decodeRaw(data []byte) (v doc.Value, err error) {
	v = doc.NullValue()
	err = eachField(data, func(w wireField) error {
		if w.number != rawJSON {
			return nil
		}
		v, _, err = DecodeJSON(w.bytes)
		return err
	})
	return v, err
}

// rfc3339Micro is the layout of a time in microseconds.
const rfc3339Micro = "2006-01-02T15:04:05.000000Z07:00"

// Field numbers of a time.
const (
	timeSeconds = 1
	timeNanos   = 2
)

// decodeTime reads a time as a text in this layout, and drops the digits that the layout does not show. An empty
// message means null.
func decodeTime(data []byte, layout string) (doc.Value, error) {
	var seconds, nanos int64
	err := eachField(data, func(w wireField) error {
		switch w.number {
		case timeSeconds:
			seconds = int64(w.varint)
		case timeNanos:
			nanos = int64(w.varint)
		}
		return nil
	})
	if err != nil || len(data) == 0 {
		return doc.NullValue(), err
	}
	return doc.Of(time.Unix(seconds, nanos).UTC().Format(layout)), nil
}

// layout returns the layout for the text of a time.
func (f MessageField) layout() string {
	if f.Type == MicroTimeType {
		return rfc3339Micro
	}
	return time.RFC3339
}
