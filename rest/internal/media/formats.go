package media

import (
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
)

// format describes one media type. Its functions encode documents that are already JSON. JSON and Protobuf need neither
// the function list nor room for a size, because a [ListWriter] joins them itself and knows their length.
type format struct {
	name string
	// stream is the media type of a watch in the list of types that the API serves, or "" if the type has no watches.
	// sent is the media type in the answer to a watch.
	stream, sent string
	// optional means that the host must give the API a [Transcoder].
	optional bool
	// messages means that only kinds with a message can be encoded.
	messages bool
	// tables means that a client may ask for a Table.
	tables bool
	// cached means that the API caches lists in this type.
	cached bool

	encode  func(rep *Representation, document []byte) ([]byte, error)
	room    func(size roomSize) int
	list    func(rep *Representation) listForm
	framing func(rep *Representation, messages bool) framing
}

// formats are the media types of objects, in the order in which the API prefers them. A new media type is a row here,
// and a case of Format.Decode in room body.
var formats = [...]*format{
	{
		name: JSON, stream: JSON + OfStream, sent: JSON, tables: true, cached: true,
		encode: func(rep *Representation, document []byte) ([]byte, error) {
			if rep.Pretty {
				return appendIndented(nil, document, 0), nil
			}
			return document, nil
		},
		room: func(s roomSize) int { return max(4*s.text, 3*legibleBytes(s.json)) }, // compact JSON needs none
		list: func(rep *Representation) listForm {
			if rep.Pretty {
				return &prettyList{}
			}
			return nil
		},
		framing: func(*Representation, bool) framing { return jsonFraming{} },
	},
	{
		name: YAML, tables: true,
		encode: func(_ *Representation, document []byte) ([]byte, error) {
			if !legible(document) {
				return document, nil // JSON is valid YAML
			}
			return codec.AppendYAML(nil, document)
		},
		room: func(s roomSize) int { // includes the Go values; the buffer doubles when it grows
			return max(10*s.text, 2*s.document+2*legibleBytes(s.json))
		},
		list: func(*Representation) listForm { return &yamlList{} },
	},
	{
		name: Protobuf, stream: Protobuf + OfStream, sent: Protobuf + OfStream, messages: true, cached: true,
		encode: func(rep *Representation, document []byte) ([]byte, error) {
			return appendProtobuf(nil, rep.message, document)
		},
		room: func(s roomSize) int { return max(4*s.text, 2*s.text+s.document) },
		framing: func(rep *Representation, messages bool) framing {
			return &binaryFraming{named: keyOf(rep), form: &protobufForm{message: rep.message, prefixed: !messages}}
		},
	},
	{
		name: CBOR, stream: CBORSequence, sent: CBORSequence, optional: true, cached: true,
		encode: func(rep *Representation, document []byte) ([]byte, error) {
			return rep.cbor.AppendFromJSON(nil, document)
		},
		room: func(s roomSize) int { return max(6*s.text, 2*s.document) },
		list: func(rep *Representation) listForm { return &cborList{transcoder: rep.cbor} },
		framing: func(rep *Representation, _ bool) framing {
			return &binaryFraming{named: keyOf(rep), form: cborForm{rep.cbor}}
		},
	},
}

// format returns the row of the media type.
func (rep *Representation) format() *format {
	for _, f := range formats {
		if f.name == rep.Media {
			return f
		}
	}
	return formats[0]
}

// objectType returns the media type of the objects in a watch. named is the media type of the watch. Only some watches
// have a type of their own; for any other type, objectType returns named.
func objectType(named string) string {
	for _, f := range formats {
		if f.stream != "" && f.stream == named {
			return f.name
		}
	}
	return named
}

// Streams reports whether the API serves watches in the media type.
func (rep *Representation) Streams() bool { return rep.format().stream != "" }

// WatchType returns the media type of a watch.
func (rep *Representation) WatchType() string { return rep.format().sent }

// Reads reports whether the API accepts a body of a media type for a kind.
func (t *Types) Reads(is string, k *Kind) bool {
	return slices.Contains(t.Served, is) && (k.Message != nil || !(&Representation{Media: is}).format().messages)
}
