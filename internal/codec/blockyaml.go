package codec

import (
	"strings"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/doc"
)

// Manifests are written in a small part of YAML: maps and lists in block style, plain and quoted scalars, and literal
// blocks. blockReader reads this part about ten times as fast as a parser for all of YAML, and gives up on everything
// that it does not know, so that the parser decides. It reads a scalar that could be something else than text with the
// parser, too.
//
// A fuzzer compares it with the parser.

// decodeBlockYAML reads a document that has only this part of YAML.
func decodeBlockYAML(data []byte) (v doc.Value, ok bool) {
	if !isPlainText(data) {
		return v, false
	}
	r := blockReader{rest: string(data)}
	r.next()
	if r.line.text == "---" && r.line.indent == 0 {
		r.next()
	}
	if v, ok = r.block(0, 1); ok {
		ok = r.line.text == "" // the document must end here
	}
	return v, ok
}

// isPlainText reports whether a text has only plain characters: no tab, no line break but \n, and nothing that YAML
// forbids.
func isPlainText(data []byte) bool {
	if len(data) == 0 || data[len(data)-1] != '\n' {
		return false
	}
	for i := 0; i < len(data); {
		if c := data[i]; c < utf8.RuneSelf {
			if c < ' ' && c != '\n' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		c, size := utf8.DecodeRune(data[i:])
		if c == utf8.RuneError || c < 0xa0 || c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff {
			return false
		}
		i += size
	}
	return true
}

// blockReader reads a document line by line.
type blockReader struct {
	line blockLine // the next line with content; its text is empty at the end
	rest string    // the text after this line
}

// blockLine is a line, or what follows the dash of an element on it.
type blockLine struct {
	indent  int
	text    string // the line without its indent, and without spaces at its end
	blank   int    // the number of empty lines before it
	comment bool   // a comment precedes it
}

// next goes on to the next line with content.
func (r *blockReader) next() {
	next := blockLine{}
	for r.rest != "" {
		var line string
		line, r.rest, _ = strings.Cut(r.rest, "\n")
		switch text := strings.TrimLeft(line, " "); {
		case text == "":
			next.blank++
		case text[0] == '#':
			next.comment = true
		default:
			next.indent, next.text = len(line)-len(text), strings.TrimRight(text, " ")
			r.line = next
			return
		}
	}
	r.line = blockLine{}
}

// isBelow reports whether the next line is indented by at least this much.
func (r *blockReader) isBelow(indent int) bool { return r.line.text != "" && r.line.indent >= indent }

// isAt reports whether the next line is indented by exactly this much, and begins or does not begin an element.
func (r *blockReader) isAt(indent int, element bool) bool {
	return r.line.text != "" && r.line.indent == indent && isElement(r.line.text) == element
}

func isElement(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }

// block reads a map or a list whose lines are indented by at least this much.
func (r *blockReader) block(indent, depth int) (v doc.Value, ok bool) {
	if !r.isBelow(indent) || depth > doc.MaxDepth {
		return v, false
	}
	indent = r.line.indent
	if isElement(r.line.text) {
		v, ok = r.list(indent, depth)
	} else {
		v, ok = r.object(indent, depth)
	}
	return v, ok && !r.isBelow(indent)
}

func (r *blockReader) list(indent, depth int) (doc.Value, bool) {
	var values []doc.Value
	for r.isAt(indent, true) {
		text := strings.TrimLeft(r.line.text[1:], " ")
		at := indent + len(r.line.text) - len(text)
		var value doc.Value
		var ok bool
		switch {
		case text == "":
			r.next()
			value, ok = r.below(indent+1, depth)
		case isElement(text), isMember(text):
			r.line = blockLine{indent: at, text: text}
			value, ok = r.block(at, depth+1)
		default:
			value, ok = r.scalar(text, indent+1)
		}
		if !ok {
			return doc.Value{}, false
		}
		values = append(values, value)
	}
	return doc.ListOf(values...), true
}

func (r *blockReader) object(indent, depth int) (doc.Value, bool) {
	var members []doc.Member
	for r.isAt(indent, false) {
		key, text, ok := keyOf(r.line.text)
		if !ok {
			return doc.Value{}, false
		}
		m := doc.Member{Key: key}
		if text != "" {
			m.Value, ok = r.scalar(text, indent+1)
		} else if r.next(); r.isAt(indent, true) {
			m.Value, ok = r.list(indent, depth+1)
		} else {
			m.Value, ok = r.below(indent+1, depth)
		}
		if !ok {
			return doc.Value{}, false
		}
		members = append(members, m)
	}
	value, repeated := doc.FromMembers(members, nil)
	return value, len(repeated) == 0
}

// below reads what is indented by at least this much, or null if nothing is.
func (r *blockReader) below(indent, depth int) (doc.Value, bool) {
	if !r.isBelow(indent) {
		return doc.NullValue(), true
	}
	return r.block(indent, depth+1)
}

func isMember(line string) bool {
	_, _, ok := keyOf(line)
	return ok
}

// maxName is the longest name that is read here. The parser refuses names of more than 1024 characters.
const maxName = 128

// keyOf splits a line into the name of a member and the text of its value. It knows only names that are text for sure.
func keyOf(line string) (key, value string, ok bool) {
	if line[0] == '"' || line[0] == '\'' {
		end := strings.IndexByte(line[1:], line[0])
		if end < 0 {
			return "", "", false
		}
		key, value = line[1:1+end], line[end+2:]
		ok = !strings.Contains(key, "\\")
	} else {
		end := 0
		for end < len(line) && isNameByte(line[end]) {
			end++
		}
		key, value = line[:end], line[end:]
		ok = end > 0 && isLetter(key[0]) && !isWord(key)
	}
	if !ok || len(key) > maxName || value == ":" {
		return key, "", ok && value == ":"
	}
	rest, ok := strings.CutPrefix(value, ": ")
	rest = strings.TrimLeft(rest, " ")
	return key, rest, ok && rest[0] != '#'
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isNameByte(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == '/' || c == '$'
}

// isWord reports whether a text that begins with a letter could be a boolean or null.
func isWord(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

// scalar reads a value that begins with text, to the end of the line. Its further lines are indented by at least this
// much.
func (r *blockReader) scalar(text string, indent int) (doc.Value, bool) {
	switch c := text[0]; {
	case c == '|':
		return r.literal(text, indent)
	case c == '"' || c == '\'':
		return r.quoted(text, indent)
	case c == '[' && text[len(text)-1] == ']', c == '{' && text[len(text)-1] == '}':
		if r.next(); r.isBelow(indent) || strings.Contains(text, "#") {
			return doc.Value{}, false
		}
		return parsed(text)
	case isText(c), '0' <= c && c <= '9', c == '.' && text != "...", c == '+',
		c == '-' && len(text) > 1 && '0' <= text[1] && text[1] <= '9':
		return r.plain(text, indent)
	}
	return doc.Value{}, false
}

// plain reads a scalar without quotes. A line break in it stands for a space, and empty lines for line breaks.
func (r *blockReader) plain(text string, indent int) (doc.Value, bool) {
	if !isPlainLine(text) {
		return doc.Value{}, false
	}
	if r.next(); !r.isBelow(indent) {
		return resolved(text)
	}
	var b strings.Builder
	for b.WriteString(text); r.isBelow(indent); r.next() {
		if r.line.comment || !isPlainLine(r.line.text) {
			return doc.Value{}, false
		}
		fold(&b, r.line.blank)
		b.WriteString(r.line.text)
	}
	return doc.Of(b.String()), isText(text[0])
}

// isText reports whether a scalar without quotes that begins with c is text, unless it is a word for a boolean or null.
func isText(c byte) bool {
	return isLetter(c) || c == '^' || c == '(' || c == '/' || c == '$' || c == '_'
}

// isPlainLine reports whether a line of a scalar without quotes has only text.
func isPlainLine(text string) bool {
	return !strings.Contains(text, ": ") && !strings.Contains(text, " #") && text[len(text)-1] != ':'
}

// fold writes what a line break in a scalar stands for.
func fold(b *strings.Builder, blank int) {
	if blank == 0 {
		b.WriteByte(' ')
	}
	for range blank {
		b.WriteByte('\n')
	}
}

// resolved returns the value of a scalar without quotes.
func resolved(text string) (doc.Value, bool) {
	switch {
	case text == "true" || text == "false":
		return doc.OfBool(text == "true"), true
	case isText(text[0]) && !isWord(text):
		return doc.Of(text), true
	case isSmallInteger(text):
		return doc.OfNumber(text), true
	}
	return parsed(text)
}

// isSmallInteger reports whether a text is an integer as JSON writes it, of at most 18 digits.
func isSmallInteger(text string) bool {
	if len(text) > 18 || text[0] == '0' && len(text) > 1 {
		return false
	}
	return strings.Trim(text, "0123456789") == ""
}

// parsed reads a value on one line with the parser. A value with duplicate members is left to the parser of the whole
// document, which knows the line.
func parsed(text string) (doc.Value, bool) {
	v, duplicates, err := parseYAML([]byte(text), true)
	return v, err == nil && len(duplicates) == 0
}

// quoted reads a scalar in quotes.
func (r *blockReader) quoted(text string, indent int) (doc.Value, bool) {
	var b strings.Builder
	quote := text[0]
	for line := text[1:]; ; {
		closed, ok := unquote(&b, line, quote)
		if closed || !ok {
			r.next()
			return doc.Of(b.String()), ok
		}
		if r.next(); !r.isBelow(indent) || r.line.comment {
			return doc.Value{}, false
		}
		fold(&b, r.line.blank)
		line = r.line.text
	}
}

// unquote writes what a line of a scalar in quotes contains. closed says that the scalar ends with the line.
func unquote(b *strings.Builder, line string, quote byte) (closed, ok bool) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == quote && quote == '\'' && i+1 < len(line) && line[i+1] == quote:
			i++
			b.WriteByte(c)
		case c == quote:
			return true, i == len(line)-1
		case c == '\\' && quote == '"':
			if i++; i == len(line) {
				return false, false
			}
			switch c := line[i]; c {
			case '"', '\\':
				b.WriteByte(c)
			case 'n':
				b.WriteByte('\n')
			default:
				return false, false
			}
		default:
			b.WriteByte(c)
		}
	}
	return false, true
}

// literal reads a block of lines that are kept as they are.
func (r *blockReader) literal(head string, indent int) (doc.Value, bool) {
	if head != "|" && head != "|-" {
		return doc.Value{}, false
	}
	var b strings.Builder
	within := 0 // the indent of the block
	for r.rest != "" {
		line, rest, _ := strings.Cut(r.rest, "\n")
		content := strings.TrimLeft(line, " ")
		at := len(line) - len(content)
		switch {
		case content == "" && (within == 0 && line != "" || at > within):
			return doc.Value{}, false // the parser decides whether these spaces belong to the text
		case content != "" && within == 0:
			within = at
		}
		if content != "" && at < within || within < indent && content != "" {
			if at >= indent || within < indent {
				return doc.Value{}, false
			}
			break
		}
		b.WriteString(line[min(within, len(line)):])
		b.WriteByte('\n')
		r.rest = rest
	}
	text := strings.TrimRight(b.String(), "\n")
	if r.next(); text == "" {
		return doc.Value{}, false
	}
	if head == "|" {
		text += "\n"
	}
	return doc.Of(text), true
}
