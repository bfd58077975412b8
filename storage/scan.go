package storage

import (
	"bytes"
	"encoding/json"
)

// scanner walks JSON that an encoder wrote. It detects broken structure but does not validate the values it skips.
// After a failure all further calls fail and every loop ends, so that the caller checks failed once.
type scanner struct {
	data   []byte
	pos    int
	fresh  bool // the scanner is at the beginning of an object or array
	failed bool
}

// peek skips white space and returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) expect(c byte) {
	if s.failed || s.peek() != c {
		s.failed = true
		return
	}
	s.pos++
}

// begin enters an object or array.
func (s *scanner) begin(c byte) {
	s.expect(c)
	s.fresh = true
}

// more moves to the next member or element and returns true, or leaves the object or array and returns false.
func (s *scanner) more(end byte) bool {
	if s.failed {
		return false
	}
	fresh := s.fresh
	s.fresh = false
	switch c := s.peek(); {
	case c == end:
		s.pos++
		return false
	case fresh:
		return true
	case c == ',':
		s.pos++
		return true
	default:
		s.failed = true
		return false
	}
}

// key reads the name of a member and the colon.
func (s *scanner) key() []byte {
	name := s.value()
	s.expect(':')
	return s.text(name)
}

// value skips one value and returns its text.
func (s *scanner) value() []byte {
	c := s.peek()
	start := s.pos
	switch {
	case s.failed:
	case c == '"':
		s.skipString()
	case c == '{' || c == '[':
		s.skipNested()
	case c == '-' || c >= '0' && c <= '9' || c == 't' || c == 'f' || c == 'n':
		s.skipLiteral()
	default:
		s.failed = true
	}
	if s.failed {
		return nil
	}
	return s.data[start:s.pos]
}

func (s *scanner) skipString() {
	s.pos++
	rest := s.data[s.pos:]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		s.failed = true
		return
	}
	if bytes.IndexByte(rest[:end], '\\') < 0 {
		s.pos += end + 1
		return
	}
	for ; s.pos < len(s.data); s.pos++ {
		switch s.data[s.pos] {
		case '\\':
			s.pos++
		case '"':
			s.pos++
			return
		}
	}
	s.failed = true
}

// skipNested skips an object or array. It counts braces and brackets together: the encoder that wrote them has matched
// them.
func (s *scanner) skipNested() {
	for depth := 0; s.pos < len(s.data); {
		switch s.data[s.pos] {
		case '"':
			s.skipString()
			if s.failed {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return
		}
	}
	s.failed = true
}

func (s *scanner) skipLiteral() {
	for ; s.pos < len(s.data); s.pos++ {
		switch s.data[s.pos] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return
		}
	}
}

// text returns the contents of a string, decoded if it has escapes.
func (s *scanner) text(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		s.failed = true
		return nil
	}
	raw := value[1 : len(value)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var decoded string
	if json.Unmarshal(value, &decoded) != nil {
		s.failed = true
	}
	return []byte(decoded)
}

// CreationTimestamp returns metadata.creationTimestamp as it stands in the JSON, or "" if it is absent. Timestamps in
// UTC, as the API writes them, have the order of their texts.
func (r *Record) CreationTimestamp() string {
	s := scanner{data: r.text[r.Metadata.Start:r.Metadata.End]}
	for s.begin('{'); s.more('}'); {
		name, value := s.key(), s.value()
		if string(name) == "creationTimestamp" && len(value) > 0 && value[0] == '"' {
			return string(s.text(value))
		}
	}
	return ""
}

// end fails unless only white space follows.
func (s *scanner) end() {
	if s.peek() != 0 || s.pos < len(s.data) {
		s.failed = true
	}
}
