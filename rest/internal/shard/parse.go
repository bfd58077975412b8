package shard

import (
	"errors"
	"fmt"
	"strings"
)

// Parse reads a selector in the subset of CEL that the parameter allows:
//
//	shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || shardRange(...)
//
// Parse ignores white space, and parentheses around the ranges.
func Parse(text string) (*Selector, error) {
	r, s, depth := reader{text}, &Selector{}, 0
	var shown strings.Builder
	for {
		for r.takes("(") {
			depth++
		}
		field, start, end, err := r.shardRange()
		if err == nil {
			err = s.add(field, start, end)
		}
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&shown, "shardRange(%s, '%s', '%s')", field, start, end)
		for depth > 0 && r.takes(")") {
			depth--
		}
		if !r.takes("||") {
			break
		}
		shown.WriteString(" || ")
	}
	switch {
	case depth > 0:
		return nil, errors.New("a parenthesis is not closed")
	case r.rest != "":
		return nil, fmt.Errorf("only shardRange(...) and || are allowed: %q", excerpt(r.rest))
	}
	s.ranges, s.text = merge(s.ranges), shown.String()
	return s, nil
}

// reader reads a selector from its beginning.
type reader struct{ rest string }

// space skips white space.
func (r *reader) space() { r.rest = strings.TrimLeft(r.rest, " \t\r\n\f") }

// takes reports whether the rest begins with a token, and skips it.
func (r *reader) takes(token string) (found bool) {
	r.space()
	r.rest, found = strings.CutPrefix(r.rest, token)
	r.space()
	return found
}

// shardRange reads one call.
func (r *reader) shardRange() (field, start, end string, err error) {
	const call = "shardRange"
	if !r.takes(call) || !r.takes("(") {
		return "", "", "", fmt.Errorf("only shardRange(...) and || are allowed: %q", excerpt(r.rest))
	}
	field = r.path()
	if r.takes(",") {
		start = r.literal()
	}
	if r.takes(",") {
		end = r.literal()
	}
	if field == "" || start == "" || end == "" || !r.takes(")") {
		return "", "", "", fmt.Errorf("%s takes a field and two texts, such as %s(%s, '0x0000000000000000', '0x8000000000000000')",
			call, call, ofUID)
	}
	return field, start, end, nil
}

// path reads names that are joined by dots.
func (r *reader) path() string {
	var path strings.Builder
	for {
		end := strings.IndexFunc(r.rest, func(c rune) bool {
			return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
		})
		if end < 0 {
			end = len(r.rest)
		}
		path.WriteString(r.rest[:end])
		if r.rest = r.rest[end:]; !r.takes(".") {
			return path.String()
		}
		path.WriteByte('.')
	}
}

// literal reads a text in single or double quotes, without escapes, which the ends of ranges do not need.
func (r *reader) literal() string {
	for _, quote := range [...]string{"'", `"`} {
		quoted, begins := strings.CutPrefix(r.rest, quote)
		if text, rest, closed := strings.Cut(quoted, quote); begins && closed {
			r.rest = rest
			return text
		}
	}
	return ""
}

// excerpt returns the beginning of a text, for a message.
func excerpt(text string) string {
	const most = 40
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
