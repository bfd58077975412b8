package codec

import (
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
)

// jsonSpace is the white space that may separate the tokens of a JSON text.
const jsonSpace = " \t\r\n"

// syntaxFault returns the first fault of a JSON text, a [*SyntaxError] or [ErrTooDeep], or nil. It does not check that the text is UTF-8.
func syntaxFault(text []byte) error {
	f := &faultFinder{text: text}
	if err := f.value(0); err != nil {
		return err
	}
	if f.space(); f.at < len(text) {
		return f.misplaced("after top-level value")
	}
	return nil
}

// faultFinder reads a JSON text up to its first fault.
type faultFinder struct {
	text []byte
	at   int
}

// next returns the next byte, or 0 at the end of the text. No token contains a 0.
func (f *faultFinder) next() byte {
	if f.at == len(f.text) {
		return 0
	}
	return f.text[f.at]
}

func (f *faultFinder) space() {
	for f.at < len(f.text) && strings.IndexByte(jsonSpace, f.text[f.at]) >= 0 {
		f.at++
	}
}

// misplaced returns the fault of a byte between tokens, or in a string. Like encoding/json, it names bytes, not characters: the first byte
// of a byte order mark is 'ï'.
func (f *faultFinder) misplaced(where string) error {
	if f.at == len(f.text) {
		return &SyntaxError{Offset: int64(f.at), message: ErrEmpty.Error()}
	}
	return f.invalid(f.text[f.at], where)
}

// broken returns the fault of a byte within a token. If the text ends there, the fault is that of a space, as in encoding/json.
func (f *faultFinder) broken(where string) error {
	if f.at == len(f.text) {
		return f.invalid(' ', where)
	}
	return f.invalid(f.text[f.at], where)
}

func (f *faultFinder) invalid(c byte, where string) error {
	shown := strconv.QuoteRune(rune(c))
	if c == '"' {
		shown = `'"'`
	}
	return &SyntaxError{Offset: int64(f.at), message: "invalid character " + shown + " " + where}
}

func (f *faultFinder) value(depth int) error {
	f.space()
	switch c := f.next(); c {
	case '{':
		return f.collection(depth+1, '}', f.member, "after object key:value pair")
	case '[':
		return f.collection(depth+1, ']', f.value, "after array element")
	case '"':
		return f.string()
	case 't':
		return f.word("true")
	case 'f':
		return f.word("false")
	case 'n':
		return f.word("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return f.number()
	}
	return f.misplaced("looking for beginning of value")
}

// collection reads an object or array up to its end. A comma or the end must follow each part; where describes this position in errors.
func (f *faultFinder) collection(depth int, end byte, part func(depth int) error, where string) error {
	if depth > doc.MaxDepth {
		return ErrTooDeep
	}
	f.at++
	if f.space(); f.next() == end {
		f.at++
		return nil
	}
	for {
		if err := part(depth); err != nil {
			return err
		}
		f.space()
		switch f.next() {
		case end:
			f.at++
			return nil
		case ',':
			f.at++
		default:
			return f.misplaced(where)
		}
	}
}

// member reads a key and its value.
func (f *faultFinder) member(depth int) error {
	if f.space(); f.next() != '"' {
		return f.misplaced("looking for beginning of object key string")
	}
	if err := f.string(); err != nil {
		return err
	}
	if f.space(); f.next() != ':' {
		return f.misplaced("after object key")
	}
	f.at++
	return f.value(depth)
}

func (f *faultFinder) string() error {
	for f.at++; f.at < len(f.text); f.at++ {
		switch c := f.text[f.at]; {
		case c == '"':
			f.at++
			return nil
		case c == '\\':
			f.at++
			if err := f.escape(); err != nil {
				return err
			}
		case c < ' ':
			return f.misplaced("in string literal")
		}
	}
	return f.misplaced("in string literal")
}

// escape reads what follows a backslash, and stops at its last byte.
func (f *faultFinder) escape() error {
	switch f.next() {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return nil
	case 'u':
		for range 4 {
			f.at++
			if c := f.next(); !isDigit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return f.broken(`in \u hexadecimal character escape`)
			}
		}
		return nil
	}
	return f.broken("in string escape code")
}

func (f *faultFinder) word(word string) error {
	for i := 1; i < len(word); i++ {
		if f.at++; f.next() != word[i] {
			return f.broken("in literal " + word + " (expecting '" + word[i:i+1] + "')")
		}
	}
	f.at++
	return nil
}

func (f *faultFinder) number() error {
	if f.next() == '-' {
		f.at++
	}
	if f.next() == '0' {
		f.at++
	} else if !f.digits() {
		return f.broken("in numeric literal")
	}
	if f.next() == '.' {
		f.at++
		if !f.digits() {
			return f.broken("after decimal point in numeric literal")
		}
	}
	if c := f.next(); c == 'e' || c == 'E' {
		f.at++
		if c := f.next(); c == '+' || c == '-' {
			f.at++
		}
		if !f.digits() {
			return f.broken("in exponent of numeric literal")
		}
	}
	return nil
}

// digits reads digits and reports whether there was at least one.
func (f *faultFinder) digits() bool {
	start := f.at
	for isDigit(f.next()) {
		f.at++
	}
	return f.at > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
