package rest

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// mediaProtobuf is Kubernetes Protobuf: an envelope that names the kind, around the object's message (API concepts,
// Kubernetes Protobuf encoding). Clients of built-in kinds send it without asking, and do not fall back.
const mediaProtobuf = "application/vnd.kubernetes.protobuf"

// wireCodec reads and writes the Protobuf message of a kind.
type wireCodec interface {
	decode(message []byte) (doc.Value, error)
	encode(v doc.Value) ([]byte, error)
}

// wireType is a Go type that brings its own message, like those of k8s.io/api.
type wireType interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// typeCodec uses the methods of the Go type.
type typeCodec[T any] struct{}

func (typeCodec[T]) decode(message []byte) (doc.Value, error) {
	obj := new(T)
	if err := any(obj).(wireType).Unmarshal(message); err != nil {
		return doc.Value{}, err
	}
	return codec.FromGo(obj)
}

func (typeCodec[T]) encode(v doc.Value) ([]byte, error) {
	obj := new(T)
	if err := codec.ToGo(v, obj); err != nil {
		return nil, err
	}
	return any(obj).(wireType).Marshal()
}

// wireOf returns the codec of a Go type, or nil where the type has none.
func wireOf[T any]() wireCodec {
	if _, ok := any(new(T)).(wireType); ok {
		return typeCodec[T]{}
	}
	return nil
}

// messageCodec describes a message by a table, for the kinds that the library knows itself.
type messageCodec struct{ *codec.Message }

func (m messageCodec) decode(message []byte) (doc.Value, error) { return m.Decode(message) }

func (m messageCodec) encode(v doc.Value) ([]byte, error) { return m.Append(nil, v) }

func statusWire() wireCodec { return messageCodec{codec.StatusMessage()} }

// decodeProtobuf reads a body in its envelope as a document. With numbers the Go type reads some from text.
func decodeProtobuf(wire wireCodec, data []byte, numbers bool) (doc.Value, error) {
	e, err := codec.DecodeEnvelope(data)
	if err != nil {
		return doc.Value{}, err
	}
	if numbers {
		if text, found := codec.EndlessNumber(e.Raw); found {
			return doc.Value{}, resource.EndlessNumber(text)
		}
	}
	v, err := wire.decode(e.Raw)
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

// encodeProtobuf writes an object, given as JSON, in its envelope.
func encodeProtobuf(wire wireCodec, json []byte) ([]byte, error) {
	return appendProtobuf(nil, wire, json)
}

func appendProtobuf(dst []byte, wire wireCodec, json []byte) ([]byte, error) {
	v, _, err := codec.DecodeJSON(json)
	if err != nil {
		return dst, err
	}
	raw, err := wire.encode(v)
	if err != nil {
		return dst, err
	}
	return codec.AppendEnvelope(dst, codec.Envelope{APIVersion: v.Get("apiVersion").Text(), Kind: v.Get("kind").Text(), Raw: raw}), nil
}

// Field numbers of every list kind.
const (
	listMetaField = 1
	listItemField = 2
)

// encodeProtobufList writes a list: all list kinds have the same message but for that of the items.
func (res *served) encodeProtobufList(rep representation, p resource.Page) ([]byte, error) {
	meta, err := codec.FromGo(p.Meta())
	if err != nil {
		return nil, err
	}
	encoded, err := codec.ListMetaMessage().Append(nil, meta)
	if err != nil {
		return nil, err
	}
	raw := codec.AppendField(nil, listMetaField, encoded)
	var partial []byte
	for _, record := range p.Records {
		if record, err = res.Show(record); err != nil {
			return nil, err
		}
		object := record.JSON
		if rep.as == asPartial {
			partial = appendPartialRecord(partial[:0], rep.metaVersion, record)
			object = partial
		}
		v, _, err := codec.DecodeJSON(object)
		if err != nil {
			return nil, err
		}
		item, err := rep.wire.encode(v)
		if err != nil {
			return nil, err
		}
		raw = codec.AppendField(raw, listItemField, item)
	}
	apiVersion, kind := res.listType(rep)
	return codec.AppendEnvelope(nil, codec.Envelope{APIVersion: apiVersion, Kind: kind, Raw: raw}), nil
}
