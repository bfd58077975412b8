package media

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// Message reads and writes the Protobuf message of a kind.
type Message interface {
	Decode(message []byte) (doc.Value, error)
	Encode(v doc.Value) ([]byte, error)
}

// goMessage is a Go type that brings its own message, like those of k8s.io/api.
type goMessage interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// typeMessage uses the methods of the Go type.
type typeMessage[T any] struct{}

func (typeMessage[T]) Decode(message []byte) (doc.Value, error) {
	obj := new(T)
	if err := any(obj).(goMessage).Unmarshal(message); err != nil {
		return doc.Value{}, err
	}
	return codec.FromGo(obj)
}

func (typeMessage[T]) Encode(v doc.Value) ([]byte, error) {
	obj := new(T)
	if err := codec.ToGo(v, obj); err != nil {
		return nil, err
	}
	return any(obj).(goMessage).Marshal()
}

// MessageOf returns the message of a Go type, or nil if the type brings none.
func MessageOf[T any]() Message {
	if _, ok := any(new(T)).(goMessage); ok {
		return typeMessage[T]{}
	}
	return nil
}

// describedMessage is described by a table, for the kinds that the library knows itself.
type describedMessage struct{ *codec.Message }

// Described returns the message that a table describes.
func Described(m *codec.Message) Message { return describedMessage{m} }

func (m describedMessage) Encode(v doc.Value) ([]byte, error) { return m.Append(nil, v) }

func statusMessage() Message { return Described(codec.StatusMessage()) }

// DecodeProtobuf reads a body in its envelope as a document. check may refuse what is in the envelope; nil takes everything.
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

// appendProtobuf appends an object, given as JSON, in its envelope.
func appendProtobuf(dst []byte, m Message, json []byte) ([]byte, error) {
	v, _, err := codec.DecodeJSON(json)
	if err != nil {
		return dst, err
	}
	raw, err := m.Encode(v)
	if err != nil {
		return dst, err
	}
	return codec.AppendEnvelope(dst, codec.Envelope{APIVersion: v.Get("apiVersion").Text(), Kind: v.Get("kind").Text(), Raw: raw}), nil
}
