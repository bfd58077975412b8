package codec

import (
	"bytes"
	"errors"
	"sync"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/go-json-experiment/json/jsontext"
)

// DecodeJSON reads one JSON value. It copies the text once. Every string, member name and number without escapes is a
// part of that copy, so the caller may reuse data, and decoding allocates only the nodes of the tree.
//
// If an object has duplicate members, the last one counts, as upstream. duplicates holds their paths in the order and
// the notation in which upstream reports them, such as spec.containers[0].name: each path once, at most 100.
//
// DecodeJSON returns [ErrEmpty] if data holds no value, a [*SyntaxError] if data is not JSON, and [ErrTooDeep] beyond
// [doc.MaxDepth] levels. Text that is not UTF-8 is not JSON. An escaped half of a surrogate pair, which UTF-8 cannot
// express, becomes U+FFFD.
func DecodeJSON(data []byte) (v doc.Value, duplicates []string, err error) {
	return decodeJSON(data, intoDocument)
}

// DecodeStruct is DecodeJSON for text that upstream decodes into a Go struct. If duplicate members are objects, it
// merges them, as encoding/json does. It keeps numbers as they are written, because Go distinguishes 2.0 from 2.
func DecodeStruct(data []byte) (v doc.Value, duplicates []string, err error) {
	return decodeJSON(data, intoStruct)
}

// DecodeUntyped is DecodeJSON for text that upstream decodes into Go maps and slices: it returns a [*RangeError] for a
// number beyond the range of float64.
func DecodeUntyped(data []byte) (v doc.Value, duplicates []string, err error) {
	return decodeJSON(data, intoMap)
}

// target is what upstream decodes a text into.
type target int

const (
	intoDocument target = iota
	intoStruct
	intoMap
)

// RangeError names a number beyond the range of float64. Its text is that of encoding/json.
type RangeError struct{ Literal string }

func (e *RangeError) Error() string {
	return "json: cannot unmarshal number " + e.Literal + " into Go value of type float64"
}

func decodeJSON(data []byte, into target) (v doc.Value, duplicates []string, err error) {
	if !utf8.Valid(data) {
		return doc.Value{}, nil, explain(data)
	}
	d := decoders.Get().(*decoder)
	defer d.release()
	d.text, d.into = string(data), into
	// Every member or element except the first of its map or list follows a comma.
	maps := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("[")) - bytes.Count(data, []byte("{}")) - bytes.Count(data, []byte("[]"))
	d.build.Reset(bytes.Count(data, []byte{','})+maps, maps, into == intoStruct)
	d.input = *bytes.NewBuffer(data)
	d.scan.Reset(&d.input, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if v, err = d.value(); err == nil {
		err = d.end()
	}
	if err != nil {
		return doc.Value{}, nil, explain(data)
	}
	if d.beyond != "" {
		return doc.Value{}, nil, &RangeError{d.beyond}
	}
	if d.repeated {
		duplicates = findDuplicates(data)
	}
	return v, duplicates, nil
}

// decoder builds a document from the tokens of one text. It collects members and elements on two stacks that all
// levels share, and copies them out in their final size when their map or list ends.
type decoder struct {
	text     string
	input    bytes.Buffer
	scan     jsontext.Decoder
	build    doc.Builder
	members  []doc.Member
	elements []doc.Value
	repeated bool
	into     target
	beyond   string // the first number beyond the range of float64
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// maxPooled is the largest stack that the pool keeps for the next text. The garbage collector frees the rare larger
// ones.
const maxPooled = 1 << 12

func (d *decoder) release() {
	if cap(d.members) > maxPooled || cap(d.elements) > maxPooled {
		return
	}
	clear(d.members) // entries that remain after an error; see pop
	clear(d.elements)
	d.members, d.elements = d.members[:0], d.elements[:0]
	d.text, d.input, d.build, d.repeated, d.beyond = "", bytes.Buffer{}, doc.Builder{}, false, ""
	d.scan.Reset(&d.input) // releases the caller's bytes
	decoders.Put(d)
}

var errTrailing = errors.New("data after the value")

func (d *decoder) end() error {
	if d.scan.PeekKind() != jsontext.KindInvalid {
		return errTrailing
	}
	_, err := d.scan.ReadToken()
	if isEOF(err) {
		return nil
	}
	return err
}

func (d *decoder) value() (doc.Value, error) {
	switch d.scan.PeekKind() {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		s, err := d.string()
		return doc.Of(s), err
	case '0':
		raw, err := d.scan.ReadValue()
		return d.number(d.slice(len(raw))), err
	}
	token, err := d.scan.ReadToken()
	if err != nil {
		return doc.Value{}, err
	}
	switch token.Kind() {
	case 't', 'f':
		return doc.OfBool(token.Bool()), nil
	default:
		return doc.NullValue(), nil
	}
}

func (d *decoder) number(literal string) doc.Value {
	switch d.into {
	case intoStruct:
		return doc.OfLiteral(literal)
	case intoMap:
		if v := doc.OfNumber(literal); d.beyond == "" && !doc.InRange(v) {
			d.beyond = literal
		}
	}
	return doc.OfNumber(literal)
}

// slice returns the part of the text that the scanner read last.
func (d *decoder) slice(length int) string {
	end := int(d.scan.InputOffset())
	return d.text[end-length : end]
}

func (d *decoder) string() (string, error) {
	raw, err := d.scan.ReadValue()
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		quoted := d.slice(len(raw))
		return quoted[1 : len(quoted)-1], nil
	}
	unquoted, _ := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw) // the error for half a surrogate pair does not matter
	return string(unquoted), nil
}

func (d *decoder) object() (doc.Value, error) {
	if _, err := d.scan.ReadToken(); err != nil {
		return doc.Value{}, err
	}
	start := len(d.members)
	for d.scan.PeekKind() == '"' {
		name, err := d.string()
		if err != nil {
			return doc.Value{}, err
		}
		value, err := d.value()
		if err != nil {
			return doc.Value{}, err
		}
		d.members = append(d.members, doc.Member{Key: name, Value: value})
	}
	if _, err := d.scan.ReadToken(); err != nil {
		return doc.Value{}, err
	}
	value, repeated := d.build.Map(d.members[start:])
	d.repeated = d.repeated || repeated
	d.members = pop(d.members, start)
	return value, nil
}

func (d *decoder) array() (doc.Value, error) {
	if _, err := d.scan.ReadToken(); err != nil {
		return doc.Value{}, err
	}
	start := len(d.elements)
	for {
		if kind := d.scan.PeekKind(); kind == jsontext.KindEndArray || kind == jsontext.KindInvalid {
			break
		}
		value, err := d.value()
		if err != nil {
			return doc.Value{}, err
		}
		d.elements = append(d.elements, value)
	}
	if _, err := d.scan.ReadToken(); err != nil {
		return doc.Value{}, err
	}
	value := d.build.List(d.elements[start:])
	d.elements = pop(d.elements, start)
	return value, nil
}

// pop shortens a stack, and clears the popped entries so that they keep no document alive.
func pop[E any](stack []E, length int) []E {
	clear(stack[length:])
	return stack[:length]
}
