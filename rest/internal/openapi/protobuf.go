package openapi

import (
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

// V2Protobuf returns what [V2] returns as the Protobuf message openapi.v2.Document of gnostic, the only form in which
// client-go takes it. The field numbers are those of the published OpenAPIv2.proto.
func V2Protobuf(kinds []*kind.Kind, outside ...Path) ([]byte, error) {
	document, err := swagger(kinds, outside)
	return documentMessage(document), err
}

// V3Protobuf returns a document of [V3] as the Protobuf message openapi.v3.Document of gnostic. The field numbers are
// those of the published OpenAPIv3.proto.
func V3Protobuf(body []byte) ([]byte, error) {
	document, _, err := codec.DecodeJSON(body)
	return documentV3Message(document), err
}

// message gathers the fields of a Protobuf message. What is zero or absent is left out, as Protobuf does.
type message []byte

// bytes adds a field. Like set, it is not inlined, so that the program stays small.
//
//go:noinline
func (m *message) bytes(number int, value []byte) { *m = codec.AppendField(*m, number, value) }

// The following methods write a member of a document, if it is there.

func (m *message) text(number int, of doc.Value, name string) { m.value(number, of.Get(name)) }

func (m *message) texts(number int, of doc.Value, name string) {
	for _, e := range of.Get(name).Elements() {
		m.bytes(number, []byte(e.Text()))
	}
}

func (m *message) flag(number int, of doc.Value, name string) {
	if of.Get(name).Bool() {
		*m = codec.AppendVarintField(*m, number, 1)
	}
}

func (m *message) integer(number int, of doc.Value, name string) {
	if n, ok := of.Get(name).Int(); ok && n != 0 {
		*m = codec.AppendVarintField(*m, number, uint64(n))
	}
}

func (m *message) double(number int, of doc.Value, name string) {
	if f, ok := of.Get(name).Float(); ok && f != 0 {
		*m = codec.AppendDoubleField(*m, number, f)
	}
}

// one writes the member as a message.
func (m *message) one(number int, of doc.Value, name string, write func(doc.Value) message) {
	if v := of.Get(name); !v.IsAbsent() {
		m.bytes(number, write(v))
	}
}

// each writes the elements of the member as messages.
func (m *message) each(number int, of doc.Value, name string, write func(doc.Value) message) {
	for _, v := range of.Get(name).Elements() {
		m.bytes(number, write(v))
	}
}

// value writes a text.
func (m *message) value(number int, text doc.Value) {
	if s := text.Text(); s != "" {
		m.bytes(number, []byte(s))
	}
}

// named writes the members of a map as messages of a name and a value.
func (m *message) named(number int, members doc.Value, write func(doc.Value) message) {
	for name, v := range members.Members() {
		m.pair(number, name, write(v))
	}
}

// extensions writes the members that OpenAPI leaves to others.
func (m *message) extensions(number int, v doc.Value) {
	for name, value := range v.Members() {
		if strings.HasPrefix(name, "x-") {
			m.pair(number, name, anyMessage(value))
		}
	}
}

func (m *message) pair(number int, name string, value message) {
	var pair message
	pair.value(1, doc.Of(name))
	pair.bytes(2, value)
	m.bytes(number, pair)
}
