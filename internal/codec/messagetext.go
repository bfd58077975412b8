package codec

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendStored appends the message of an object that [AppendObject] has encoded: the same bytes as [Message.Append] for
// the document in this text. It reads most texts once, without a document.
func (m *Message) AppendStored(dst, object []byte) ([]byte, error) {
	e := textEncoders.Get().(*textEncoder)
	e.text, e.at, e.out, e.escaped = object, 0, dst, bytes.IndexByte(object, '\\') >= 0
	encoded := e.message(m, mostTextLevels) && e.at == len(object)
	out := e.out
	e.text, e.out, e.written = nil, nil, e.written[:0]
	if cap(e.scratch) <= maxDraft {
		textEncoders.Put(e)
	}
	if encoded {
		return out, nil
	}
	v, _, err := DecodeJSON(object)
	if err != nil {
		return dst, err
	}
	return m.Append(dst, v)
}

// textEncoders are encoders between two texts.
var textEncoders = sync.Pool{New: func() any { return new(textEncoder) }}

// mostTextLevels is how deep the messages may be nested that a textEncoder encodes. The end of a message may move its
// bytes, so those of the innermost message move once for each level.
const mostTextLevels = 32

// textEncoder appends messages while it reads the JSON text of their document. Its methods return false for what they
// leave to [Message.Append]: rare types, values that do not fit their field, deep nesting, and texts of other encoders.
type textEncoder struct {
	text    []byte
	at      int // the position in the text
	escaped bool
	out     []byte
	written []writtenField // the fields of messages that have begun and not ended
	scratch []byte
}

// writtenField is a field in the output.
type writtenField struct{ number, start, end int }

// next reads one byte of the text if it is c.
func (e *textEncoder) next(c byte) bool {
	if e.at < len(e.text) && e.text[e.at] == c {
		e.at++
		return true
	}
	return false
}

// each reads the elements between two brackets, separated by commas.
func (e *textEncoder) each(opening, closing byte, element func() bool) bool {
	if !e.next(opening) {
		return false
	}
	if e.next(closing) {
		return true
	}
	for element() {
		if !e.next(',') {
			return e.next(closing)
		}
	}
	return false
}

// message reads a map and appends the fields of its message.
func (e *textEncoder) message(m *Message, levels int) bool {
	if levels == 0 || !m.plain() {
		return false
	}
	first, start := len(e.written), len(e.out)
	read := e.each('{', '}', func() bool {
		name, ok := e.plainString()
		if !ok || !e.next(':') || e.at == len(e.text) {
			return false
		}
		f := m.named(name)
		if f == nil || e.text[e.at] == 'n' { // null
			e.at = skip(e.text, e.at)
			return true
		}
		begin := len(e.out)
		if !e.field(f, levels) {
			return false
		}
		e.written = append(e.written, writtenField{f.Number, begin, len(e.out)})
		return true
	})
	if read {
		read = e.sort(e.written[first:], start)
	}
	e.written = e.written[:first]
	return read
}

// sort puts the fields of a message, which begins at start, in the order of their numbers. It returns false if the text
// has a member twice.
func (e *textEncoder) sort(fields []writtenField, start int) bool {
	sorted := true
	for i := 1; i < len(fields) && sorted; i++ {
		sorted = fields[i-1].number < fields[i].number
	}
	if sorted {
		return true
	}
	for i := 1; i < len(fields); i++ { // few fields: a message declares them, and a duplicate ends the loop
		f, at := fields[i], i
		for ; at > 0 && fields[at-1].number >= f.number; at-- {
			if fields[at-1].number == f.number {
				return false
			}
			fields[at] = fields[at-1]
		}
		fields[at] = f
	}
	e.scratch = append(e.scratch[:0], e.out[start:]...)
	e.out = e.out[:start]
	for _, f := range fields {
		e.out = append(e.out, e.scratch[f.start-start:f.end-start]...)
	}
	return true
}

// field reads a value and appends it as a field: once, or for each element of a list.
func (e *textEncoder) field(f *MessageField, levels int) bool {
	switch {
	case f.Type == MapType:
		return e.each('{', '}', func() bool { return e.entry(f, levels) })
	case f.Repeated:
		return e.each('[', ']', func() bool { return e.value(f, levels) })
	}
	return e.value(f, levels)
}

// entry reads a member of a map and appends it as an entry.
func (e *textEncoder) entry(f *MessageField, levels int) bool {
	at := e.begin(f.Number)
	if !e.string(entryKey) || !e.next(':') {
		return false
	}
	if f.Of == nil {
		if !e.string(entryValue) {
			return false
		}
	} else if !e.nested(entryValue, f.Of, levels) {
		return false
	}
	e.end(at)
	return true
}

// value reads a value that is not a list, and appends it as a field.
func (e *textEncoder) value(f *MessageField, levels int) bool {
	if e.at == len(e.text) {
		return false
	}
	switch f.Type {
	case StringType:
		return e.string(f.Number)
	case MessageType:
		return e.nested(f.Number, f.Of, levels)
	case TimeType, MicroTimeType:
		text, ok := e.plainString()
		if ok {
			var err error
			e.out, err = f.appendTime(e.out, string(text))
			ok = err == nil
		}
		return ok
	case JSONType:
		begin := e.at
		if e.text[e.at] == 'n' {
			return false
		}
		e.at = skip(e.text, e.at)
		at := e.begin(f.Number)
		e.out = AppendField(e.out, rawJSON, e.text[begin:e.at])
		e.end(at)
		return true
	}
	begin := e.at
	e.at = skip(e.text, e.at)
	literal := string(e.text[begin:e.at])
	switch {
	case f.Type == BoolType && literal == "true":
		e.out = AppendVarintField(e.out, f.Number, 1)
	case f.Type == BoolType && literal == "false":
		e.out = AppendVarintField(e.out, f.Number, 0)
	case f.Type == IntType:
		n, err := strconv.ParseInt(literal, 10, 64)
		if err != nil {
			return false
		}
		e.out = AppendVarintField(e.out, f.Number, uint64(n))
	default:
		return false
	}
	return true
}

// nested reads a map and appends its message as a field.
func (e *textEncoder) nested(number int, m *Message, levels int) bool {
	at := e.begin(number)
	read := e.message(m, levels-1)
	e.end(at)
	return read
}

// begin appends a field of bytes up to its value, with room for a length below 128. It returns where the value begins.
func (e *textEncoder) begin(number int) int {
	e.out = append(appendTag(e.out, number, wireBytes), 0)
	return len(e.out)
}

// end writes the length of the value that begins at a position. It moves the value if the length needs more room.
func (e *textEncoder) end(at int) {
	length := len(e.out) - at
	if length < 0x80 {
		e.out[at-1] = byte(length)
		return
	}
	var room [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(room[:], uint64(length))
	e.out = append(e.out, room[:n-1]...)
	copy(e.out[at-1+n:], e.out[at:at+length])
	copy(e.out[at-1:], room[:n])
}

// string reads a string and appends it as a field.
func (e *textEncoder) string(number int) bool {
	if e.at == len(e.text) || e.text[e.at] != '"' {
		return false
	}
	if !e.escaped {
		content, ok := e.plainString()
		if ok {
			e.out = AppendField(e.out, number, content)
		}
		return ok
	}
	begin := e.at
	e.at = skipText(e.text, e.at)
	quoted := e.text[begin:e.at]
	if bytes.IndexByte(quoted, '\\') < 0 {
		e.out = AppendField(e.out, number, quoted[1:len(quoted)-1])
		return true
	}
	content, err := jsontext.AppendUnquote(e.scratch[:0], quoted)
	e.scratch = content
	e.out = AppendField(e.out, number, content)
	return err == nil
}

// plainString reads a string without escapes.
func (e *textEncoder) plainString() (content []byte, ok bool) {
	if !e.next('"') {
		return nil, false
	}
	length := bytes.IndexByte(e.text[e.at:], '"')
	if length < 0 {
		return nil, false
	}
	content = e.text[e.at : e.at+length]
	e.at += length + 1
	return content, !e.escaped || bytes.IndexByte(content, '\\') < 0
}

// plain reports whether each field of the message is a member of its document.
func (m *Message) plain() bool {
	return !m.union && !slices.ContainsFunc(m.fields, func(f MessageField) bool { return f.Name == "" })
}

// named returns the field of a member, or nil.
func (m *Message) named(name []byte) *MessageField {
	for i := range m.fields {
		if f := &m.fields[i]; f.Name == string(name) {
			return f
		}
	}
	return nil
}
