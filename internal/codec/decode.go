package codec

import (
	"bytes"
	"sync"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/words"
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
	return words.NotOfType("number "+e.Literal, "float64")
}

func decodeJSON(data []byte, into target) (v doc.Value, duplicates []string, err error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.text, d.into = string(data), into
	// A comma precedes every member and element except the first one of its map or list.
	d.build.Reset(bytes.Count(data, []byte{','})+1, into == intoStruct)
	switch v, err = d.whole(); {
	case err != nil:
		return doc.Value{}, nil, err
	case !utf8.Valid(data):
		return doc.Value{}, nil, notUTF8(data)
	case d.beyond != "":
		return doc.Value{}, nil, &RangeError{d.beyond}
	case d.repeated:
		duplicates = findDuplicates(data)
	}
	return v, duplicates, nil
}

// decoder builds a document from the tokens of one text. It collects members and elements on two stacks that all
// levels share, and copies them out in their final size when their map or list ends.
type decoder struct {
	scanner
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
	d.scanner, d.build, d.repeated, d.beyond = scanner{}, doc.Builder{}, false, ""
	decoders.Put(d)
}

// whole reads a text that holds one value.
func (d *decoder) whole() (doc.Value, error) {
	if d.space(); d.at == len(d.text) {
		return doc.Value{}, ErrEmpty
	}
	v, err := d.value(0)
	if err != nil {
		return doc.Value{}, err
	}
	if d.space(); d.at < len(d.text) {
		return doc.Value{}, d.misplaced("after top-level value")
	}
	return v, nil
}

// value reads a value below so many maps and lists.
func (d *decoder) value(depth int) (doc.Value, error) {
	switch c := d.space(); c {
	case '{', '[':
		if depth == doc.MaxDepth {
			return doc.Value{}, ErrTooDeep
		}
		d.at++
		if c == '{' {
			return d.object(depth + 1)
		}
		return d.array(depth + 1)
	case '"':
		s, err := d.string()
		return doc.Of(s), err
	case 't':
		return doc.OfBool(true), d.word("true")
	case 'f':
		return doc.OfBool(false), d.word("false")
	case 'n':
		return doc.NullValue(), d.word("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		literal, err := d.number()
		if err != nil {
			return doc.Value{}, err
		}
		return d.numberOf(literal), nil
	}
	return doc.Value{}, d.misplaced("looking for beginning of value")
}

func (d *decoder) numberOf(literal string) doc.Value {
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

// object reads the members of a map, and its end.
func (d *decoder) object(depth int) (doc.Value, error) {
	start := len(d.members)
	for more := d.space() != '}'; more; more = d.next() == ',' {
		if len(d.members) > start {
			d.at++ // the comma
		}
		name, err := d.name()
		if err != nil {
			return doc.Value{}, err
		}
		value, err := d.value(depth)
		if err != nil {
			return doc.Value{}, err
		}
		d.members = append(d.members, doc.Member{Key: name, Value: value})
		d.space()
	}
	if d.next() != '}' {
		return doc.Value{}, d.misplaced("after object key:value pair")
	}
	d.at++
	value, repeated := d.build.Map(d.members[start:])
	d.repeated = d.repeated || repeated
	d.members = pop(d.members, start)
	return value, nil
}

// name reads the name of a member and the colon.
func (d *decoder) name() (string, error) {
	if d.space() != '"' {
		return "", d.misplaced("looking for beginning of object key string")
	}
	name, err := d.string()
	if err != nil {
		return "", err
	}
	if d.space() != ':' {
		return "", d.misplaced("after object key")
	}
	d.at++
	return name, nil
}

// array reads the elements of a list, and its end.
func (d *decoder) array(depth int) (doc.Value, error) {
	start := len(d.elements)
	for more := d.space() != ']'; more; more = d.next() == ',' {
		if len(d.elements) > start {
			d.at++ // the comma
		}
		value, err := d.value(depth)
		if err != nil {
			return doc.Value{}, err
		}
		d.elements = append(d.elements, value)
		d.space()
	}
	if d.next() != ']' {
		return doc.Value{}, d.misplaced("after array element")
	}
	d.at++
	value := d.build.List(d.elements[start:])
	d.elements = pop(d.elements, start)
	return value, nil
}

// pop shortens a stack, and clears the popped entries so that they keep no document alive.
func pop[E any](stack []E, length int) []E {
	clear(stack[length:])
	return stack[:length]
}
