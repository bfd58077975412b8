package codec

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner reads the tokens of a JSON text up to its first fault, which is a [*SyntaxError]. It does not check that the
// text is UTF-8.
type scanner struct {
	text string
	at   int
}

// next returns the next byte, or 0 at the end of the text. No token contains a 0.
func (s *scanner) next() byte {
	if s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// space reads white space and returns the byte that follows, like next.
func (s *scanner) space() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// misplaced returns the fault of a byte between tokens, or in a string. Like encoding/json, it names bytes, not
// characters: the first byte of a byte order mark is 'ï'.
func (s *scanner) misplaced(where string) error {
	if s.at == len(s.text) {
		return &SyntaxError{Offset: int64(s.at), message: ErrEmpty.Error()}
	}
	return s.invalid(s.text[s.at], where)
}

// broken returns the fault of a byte within a token. If the text ends there, the fault is that of a space, as in
// encoding/json.
func (s *scanner) broken(where string) error {
	if s.at == len(s.text) {
		return s.invalid(' ', where)
	}
	return s.invalid(s.text[s.at], where)
}

func (s *scanner) invalid(c byte, where string) error {
	shown := strconv.QuoteRune(rune(c))
	if c == '"' {
		shown = `'"'`
	}
	return &SyntaxError{Offset: int64(s.at), message: "invalid character " + shown + " " + where}
}

// string reads a string and returns its content, which is a part of the text unless the string has escapes.
func (s *scanner) string() (string, error) {
	start, escaped := s.at, false
	for s.at++; ; s.at++ {
		s.at = plainEnd(s.text, s.at)
		switch s.next() {
		case '"':
			s.at++
			quoted := s.text[start:s.at]
			if !escaped {
				return quoted[1 : len(quoted)-1], nil
			}
			// The only possible error is that for half a surrogate pair, which becomes U+FFFD.
			unquoted, _ := jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted)
			return string(unquoted), nil
		case '\\':
			escaped = true
			s.at++
			if err := s.escape(); err != nil {
				return "", err
			}
		default:
			return "", s.misplaced("in string literal")
		}
	}
}

// escape reads what follows a backslash, and stops at its last byte.
func (s *scanner) escape() error {
	switch s.next() {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return nil
	case 'u':
		for range 4 {
			s.at++
			if c := s.next(); !isDigit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return s.broken(`in \u hexadecimal character escape`)
			}
		}
		return nil
	}
	return s.broken("in string escape code")
}

// word reads the rest of true, false or null.
func (s *scanner) word(word string) error {
	for i := 1; i < len(word); i++ {
		if s.at++; s.next() != word[i] {
			return s.broken("in literal " + word + " (expecting '" + word[i:i+1] + "')")
		}
	}
	s.at++
	return nil
}

// number reads a number and returns its literal.
func (s *scanner) number() (string, error) {
	start := s.at
	if s.next() == '-' {
		s.at++
	}
	if s.next() == '0' {
		s.at++
	} else if !s.digits() {
		return "", s.broken("in numeric literal")
	}
	if s.next() == '.' {
		s.at++
		if !s.digits() {
			return "", s.broken("after decimal point in numeric literal")
		}
	}
	if c := s.next(); c == 'e' || c == 'E' {
		s.at++
		if c := s.next(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return "", s.broken("in exponent of numeric literal")
		}
	}
	return s.text[start:s.at], nil
}

// digits reads digits and reports whether there was at least one.
func (s *scanner) digits() bool {
	start := s.at
	for isDigit(s.next()) {
		s.at++
	}
	return s.at > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
