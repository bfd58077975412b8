package codec

import (
	"fmt"
	"sort"
	"time"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/words"
)

// Message describes how a Protobuf message maps to a document: which field number is which member. The library reads
// and writes the kinds that it decodes itself (DeleteOptions, Scale, the reviews) by such descriptions, without
// generated code.
type Message struct{ fields []MessageField }

// MessageField is one member of a [Message].
type MessageField struct {
	Number int
	Name   string
	Type   FieldType
	// Of describes the message of a MessageType, or of the values of a MapType. It is nil for a map of strings.
	Of *Message
	// Repeated marks a list. Bare marks a message that holds only a list in its field 1; the document has that list in
	// its place.
	Repeated, Bare bool
}

// FieldType is the encoding of the value of a field.
type FieldType int

// The field types that the API's meta kinds use.
const (
	StringType FieldType = iota
	BoolType
	IntType
	TimeType // a message of seconds and nanoseconds; in the document, an RFC 3339 text
	MessageType
	MapType
	JSONType // a message that holds JSON text in its field 1; in the document, the value of that text
)

// NewMessage returns the description of a message with these fields.
func NewMessage(fields ...MessageField) *Message { return &Message{fields} }

func (m *Message) field(number int) (MessageField, bool) {
	for _, f := range m.fields {
		if f.Number == number {
			return f, true
		}
	}
	return MessageField{}, false
}

// Decode reads a message as a document. It ignores fields without a description. It returns [ErrWire] for bytes that
// are not a message.
func (m *Message) Decode(data []byte) (doc.Value, error) {
	lists := map[string][]doc.Value{}
	maps := map[string][]doc.Member{}
	var members []doc.Member
	err := eachField(data, func(w wireField) error {
		f, ok := m.field(w.number)
		if !ok {
			return nil
		}
		if f.Type == MapType {
			key, value, err := decodeEntry(f, w)
			if err != nil {
				return err
			}
			maps[f.Name] = append(maps[f.Name], doc.Member{Key: key, Value: value})
			return nil
		}
		v, err := f.decode(w)
		if err != nil {
			return err
		}
		if f.Repeated {
			lists[f.Name] = append(lists[f.Name], v)
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
	return doc.MapOf(members...), nil
}

func (f MessageField) decode(w wireField) (doc.Value, error) {
	wantsBytes := f.Type != BoolType && f.Type != IntType
	if wantsBytes != (w.typ == wireBytes) || !wantsBytes && w.typ != wireVarint {
		return doc.Value{}, fmt.Errorf("%w: field %q has another type", ErrWire, f.Name)
	}
	switch f.Type {
	case BoolType:
		return doc.OfBool(w.varint != 0), nil
	case IntType:
		return doc.OfInt(int64(w.varint)), nil
	case TimeType:
		return decodeTime(w.bytes)
	case MessageType:
		v, err := f.Of.Decode(w.bytes)
		if err == nil && f.Bare {
			v = v.Get(bareList)
		}
		return v, err
	case JSONType:
		return decodeRaw(w.bytes)
	default:
		return doc.Of(string(w.bytes)), nil
	}
}

// bareList is the member under which a bare message holds its list.
const bareList = "items"

// Field numbers of a map's entry.
const (
	entryKey   = 1
	entryValue = 2
)

// decodeEntry reads an entry of a map. A missing value is the empty text, because Protobuf does not write empty values.
func decodeEntry(f MessageField, w wireField) (key string, value doc.Value, err error) {
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
			value, err = MessageField{Name: f.Name, Type: MessageType, Of: f.Of, Bare: f.Bare}.decode(e)
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

func decodeTime(data []byte) (doc.Value, error) {
	var seconds int64
	err := eachField(data, func(w wireField) error {
		if w.number == 1 {
			seconds = int64(w.varint)
		}
		return nil
	})
	if err != nil || len(data) == 0 {
		return doc.NullValue(), err
	}
	return doc.Of(time.Unix(seconds, 0).UTC().Format(time.RFC3339)), nil
}

// Append appends the message for a document. It ignores members without a description.
func (m *Message) Append(dst []byte, v doc.Value) ([]byte, error) {
	fields := m.fields
	if !sort.SliceIsSorted(fields, func(i, j int) bool { return fields[i].Number < fields[j].Number }) {
		return dst, fmt.Errorf("the fields of a message are out of order")
	}
	for _, f := range fields {
		value := v.Get(f.Name)
		if value.IsAbsent() || value.IsNull() {
			continue
		}
		var err error
		switch {
		case f.Type == MapType:
			for key, entry := range value.Members() {
				var encoded []byte
				encoded = AppendField(encoded, entryKey, []byte(key))
				if f.Of == nil {
					encoded = AppendField(encoded, entryValue, []byte(entry.Text()))
				} else if encoded, err = (MessageField{Number: entryValue, Type: MessageType, Of: f.Of, Bare: f.Bare}).append(encoded, entry); err != nil {
					return dst, err
				}
				dst = AppendField(dst, f.Number, encoded)
			}
		case f.Repeated:
			for _, e := range value.Elements() {
				if dst, err = f.append(dst, e); err != nil {
					return dst, err
				}
			}
		default:
			if dst, err = f.append(dst, value); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

func (f MessageField) append(dst []byte, v doc.Value) ([]byte, error) {
	switch f.Type {
	case BoolType:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		return AppendVarintField(dst, f.Number, n), nil
	case IntType:
		n, ok := v.Int()
		if !ok {
			return dst, fmt.Errorf("%q is not an integer", f.Name)
		}
		return AppendVarintField(dst, f.Number, uint64(n)), nil
	case TimeType:
		t, err := time.Parse(time.RFC3339, v.Text())
		if err != nil {
			return dst, fmt.Errorf("%q: %s", f.Name, words.NotATime(v.Text()))
		}
		return AppendField(dst, f.Number, AppendVarintField(nil, 1, uint64(t.Unix()))), nil
	case MessageType:
		if f.Bare {
			v = doc.MapOf(doc.Member{Key: bareList, Value: v})
		}
		encoded, err := f.Of.Append(nil, v)
		return AppendField(dst, f.Number, encoded), err
	case JSONType:
		return AppendField(dst, f.Number, AppendField(nil, rawJSON, AppendJSON(nil, v))), nil
	default:
		return AppendField(dst, f.Number, []byte(v.Text())), nil
	}
}
