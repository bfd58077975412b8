package codec

import (
	stdjson "encoding/json"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// hostOptions makes the JSON package treat tags, methods and zero values as encoding/json does. Names are
// case-sensitive, as the API conventions require ("All JSON field names are case-sensitive"). Nothing is escaped for
// HTML, because documents are not either.
var hostOptions = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	json.MatchCaseInsensitiveNames(false),
	jsontext.EscapeForHTML(false),
	json.WithMarshalers(json.MarshalToFunc(marshalNumber)),
	json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalNumber)),
)

// The JSON package treats the standard library's json.Number as an ordinary string type, so these functions implement
// its rules: it is a number on the wire, and zero if it is empty.

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
		return errors.New(words.NotOfType(text.Kind().String(), "json.Number"))
	}
	*n = stdjson.Number(text)
	return nil
}

// Unmarshal reads JSON into a host's Go value, to which into points. It differs from encoding/json in that member
// names are case-sensitive. It ignores members without a field, because the schema walk has reported them before. It
// fails if encoding/json fails, with an error that says the same but names the place more exactly.
func Unmarshal(data []byte, into any) error { return json.Unmarshal(data, into, hostOptions) }

// UnmarshalLeaving is [Unmarshal], but a function reads the values of type T. It must not keep the text.
func UnmarshalLeaving[T any](data []byte, into any, read func(text []byte, into *T) error) error {
	own := json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFunc(read), json.UnmarshalFromFunc(unmarshalNumber)))
	return json.Unmarshal(data, into, hostOptions, own)
}

// Marshal returns the JSON of a host's Go value as encoding/json writes it, but escapes nothing for HTML.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, hostOptions) }

// ToGo stores a document in the Go value that into points to, by the rules of [Unmarshal].
func ToGo(v doc.Value, into any) error {
	d := newDraft()
	text := AppendJSON(d.AvailableBuffer(), v)
	defer d.release(text)
	return Unmarshal(text, into)
}

// ToUnmarshaler stores a document in a Go value that reads JSON itself. It calls UnmarshalJSON as ToGo would, even for
// null.
func ToUnmarshaler(v doc.Value, into stdjson.Unmarshaler) error {
	d := newDraft()
	text := AppendJSON(d.AvailableBuffer(), v)
	defer d.release(text)
	return into.UnmarshalJSON(text)
}

// FromGo returns the document of a Go value, encoded as encoding/json would.
func FromGo(v any) (doc.Value, error) {
	d := newDraft()
	defer func() { d.release(d.Bytes()) }()
	if err := json.MarshalWrite(&d.Buffer, v, hostOptions); err != nil {
		return doc.Value{}, err
	}
	value, _, err := DecodeJSON(d.Bytes())
	return value, err
}
