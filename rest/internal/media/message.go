package media

import (
	"errors"
	"reflect"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// Message encodes and decodes the Protobuf message of a kind.
type Message interface {
	Decode(message []byte) (doc.Value, error)
	Encode(v doc.Value) ([]byte, error)
	// AppendStored appends the message of an object, given as the text that the store keeps.
	AppendStored(dst, object []byte) ([]byte, error)
}

// goMessage is a Go type with its own Protobuf methods, like the types of k8s.io/api.
type goMessage interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// errMalformed is what a client reads about a message that a Go type cannot decode. The words of the type's own decoder
// are those of whatever generated it.
var errMalformed = errors.New("the Protobuf message of the object is malformed")

// typeMessage is the Message of a Go type with its own methods.
type typeMessage struct{ of reflect.Type }

func (m typeMessage) Decode(message []byte) (doc.Value, error) {
	obj := reflect.New(m.of).Interface().(goMessage)
	if obj.Unmarshal(message) != nil {
		return doc.Value{}, errMalformed
	}
	return codec.FromGo(obj)
}

func (m typeMessage) Encode(v doc.Value) ([]byte, error) {
	obj := reflect.New(m.of).Interface().(goMessage)
	if err := codec.ToGo(v, obj); err != nil {
		return nil, err
	}
	return obj.Marshal()
}

func (m typeMessage) AppendStored(dst, object []byte) ([]byte, error) {
	obj := reflect.New(m.of).Interface().(goMessage)
	if err := codec.Unmarshal(object, obj); err != nil {
		return dst, err
	}
	message, err := obj.Marshal()
	return append(dst, message...), err
}

// MessageOf returns the Message of a Go type. It uses the methods Marshal and Unmarshal of the type or, if the type
// does not have them, the protobuf tags of its fields. It returns nil if the type has neither, and an error if a tag is
// missing or invalid.
func MessageOf(t reflect.Type, types *schema.Types) (Message, error) {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[goMessage]()) {
		return typeMessage{t}, nil
	}
	described, err := types.MessageOf(t)
	if described == nil || err != nil {
		return nil, err
	}
	return taggedMessage{describedMessage{described}, t}, nil
}

// describedMessage is the Message of a kind that the library itself describes, by a table.
type describedMessage struct{ *codec.Message }

// Described returns the Message that a table describes.
func Described(m *codec.Message) Message { return describedMessage{m} }

func (m describedMessage) Encode(v doc.Value) ([]byte, error) { return m.Append(nil, v) }

// taggedMessage is the Message of a Go type whose fields have protobuf tags.
type taggedMessage struct {
	describedMessage
	of reflect.Type
}

// Decode passes the object through its Go type, because a Protobuf message contains most empty fields, which JSON
// omits.
func (m taggedMessage) Decode(message []byte) (doc.Value, error) {
	v, err := m.describedMessage.Decode(message)
	if err != nil {
		return doc.Value{}, err
	}
	obj := reflect.New(m.of).Interface()
	if codec.ToGo(v, obj) != nil {
		return doc.Value{}, errMalformed
	}
	return codec.FromGo(obj)
}

func statusMessage() Message { return Described(codec.StatusMessage()) }

// DecodeProtobuf decodes a body in its envelope. check may refuse the message inside; nil accepts every message.
func DecodeProtobuf(m Message, data []byte, check func(message []byte) error) (doc.Value, error) {
	e, err := codec.DecodeEnvelope(data)
	if err != nil {
		return doc.Value{}, err
	}
	if check != nil {
		if err := check(e.Raw); err != nil {
			return doc.Value{}, err
		}
	}
	v, err := m.Decode(e.Raw)
	if err != nil {
		return doc.Value{}, err
	}
	for field, text := range map[string]string{"apiVersion": e.APIVersion, "kind": e.Kind} {
		if text != "" {
			v = v.With(field, doc.Of(text))
		}
	}
	return v, nil
}

// appendProtobuf appends an object, given as JSON, as Protobuf in its envelope.
func appendProtobuf(dst []byte, m Message, json []byte) ([]byte, error) {
	v, _, err := codec.DecodeJSON(json)
	if err != nil {
		return dst, err
	}
	raw, err := m.Encode(v)
	if err != nil {
		return dst, err
	}
	return codec.AppendEnvelope(dst,
		codec.Envelope{APIVersion: v.Get("apiVersion").Text(), Kind: v.Get("kind").Text(), Raw: raw}), nil
}
