package codec

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// hostOptions makes the JSON package treat tags, methods and zero values as encoding/json does. Names are matched by
// case, as the API conventions ask ("All JSON field names are case-sensitive"), and nothing is escaped for HTML, since
// the documents made from this text are not either.
var hostOptions = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	json.MatchCaseInsensitiveNames(false),
	jsontext.EscapeForHTML(false),
	json.WithMarshalers(json.MarshalToFunc(marshalNumber)),
	json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalNumber)),
)

// To the JSON package a json.Number of the standard library is any string type, so its rules are told here: it is a
// number on the wire, and empty it is zero.

func marshalNumber(e *jsontext.Encoder, n stdjson.Number) error {
	text := jsontext.Value(n)
	if len(text) == 0 {
		text = jsontext.Value("0")
	}
	if text.Kind() != '0' || !text.IsValid() {
		return fmt.Errorf("json: invalid number literal %q", string(n))
	}
	return e.WriteValue(text)
}

func unmarshalNumber(d *jsontext.Decoder, n *stdjson.Number) error {
	text, err := d.ReadValue()
	if err != nil {
		return err
	}
	switch text.Kind() {
	case 'n':
		return nil
	case '"':
		unquoted, err := jsontext.AppendUnquote(nil, text)
		if err != nil {
			return err
		}
		if text = jsontext.Value(unquoted); text.Kind() != '0' || !text.IsValid() {
			return fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", text)
		}
	case '0':
	default:
		return fmt.Errorf("json: cannot unmarshal %s into Go value of type json.Number", text.Kind())
	}
	*n = stdjson.Number(text)
	return nil
}

// Unmarshal reads JSON into a value of a host's Go type, which into points to, as encoding/json would but with member
// names matched by case. Members without a field are ignored: they are found by the schema before. It fails where
// encoding/json does and says the same, but names the place more exactly.
func Unmarshal(data []byte, into any) error { return json.Unmarshal(data, into, hostOptions) }

// Marshal returns the JSON of a value of a host's Go type as encoding/json would, without HTML escapes. The bytes are
// the caller's.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, hostOptions) }

// ToGo stores a document in the Go value that into points to, by the rules of [Unmarshal].
func ToGo(v doc.Value, into any) error {
	b := buffers.Get().(*bytes.Buffer)
	defer releaseBuffer(b)
	b.Write(AppendJSON(b.AvailableBuffer(), v))
	return Unmarshal(b.Bytes(), into)
}

// FromGo returns the document of a Go value, by the rules of [Marshal].
func FromGo(v any) (doc.Value, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer releaseBuffer(b)
	if err := json.MarshalWrite(b, v, hostOptions); err != nil {
		return doc.Value{}, err
	}
	value, _, err := DecodeJSON(b.Bytes())
	return value, err
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxBuffer is the size in bytes up to which a buffer is kept for the next value.
const maxBuffer = 1 << 20

func releaseBuffer(b *bytes.Buffer) {
	if b.Cap() <= maxBuffer {
		b.Reset()
		buffers.Put(b)
	}
}
