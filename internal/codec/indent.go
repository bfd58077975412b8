package codec

import (
	"bytes"
	"math"
)

// Indenter indents a JSON text as [json.Indent] does, with two blanks for each level. It copies the text, strings as a
// whole, and adds line breaks and blanks. It does not check the text, which must be valid.
type Indenter struct {
	// Left is how many more blanks Append may add, not counting those of the level at which the text stands. Append
	// stops when Left is negative. Otherwise a text that is nested thousands of levels deep would grow a thousandfold.
	Left int

	text  []byte
	at    int // the next byte to look at; all before it are copied
	base  int // the level at which the text stands
	depth int // how many objects and arrays are open
}

// NewIndenter returns an Indenter of a text that stands at a level of nesting. Its first line is not indented.
func NewIndenter(text []byte, level int) Indenter {
	return Indenter{Left: math.MaxInt, text: text, at: afterBlanks(text, 0), base: level}
}

// Append appends the indented text, from where the last call has ended. It returns at the first line break at which dst
// has this size, or when the text has ended.
func (n *Indenter) Append(dst []byte, size int) []byte {
	text, i, from := n.text, n.at, n.at
	for i < len(text) {
		c := text[i]
		switch c {
		case '"':
			i = afterString(text, i+1)
			continue
		case ':':
			i++
			dst = append(append(dst, text[from:i]...), ' ')
			from = i
			continue
		case ',':
			i++
			dst = append(dst, text[from:i]...)
		case '{', '[':
			i++
			dst = append(dst, text[from:i]...)
			from = afterBlanks(text, i)
			n.depth++
			if from < len(text) && (text[from] == '}' || text[from] == ']') { // it is empty, and stays on its line
				n.Left -= 4*n.depth - 2
				n.depth--
				i = from + 1
				continue
			}
		case '}', ']':
			dst = append(dst, text[from:i]...)
			n.depth--
		case ' ', '\t', '\n', '\r':
			if n.depth == 0 { // json.Indent keeps what comes after the text
				i++
				continue
			}
			dst = append(dst, text[from:i]...)
			i = afterBlanks(text, i)
			from = i
			continue
		default:
			i++
			continue
		}
		dst = appendLineBreak(dst, n.base+n.depth)
		if c == '}' || c == ']' {
			dst = append(dst, c)
			i++
		}
		from = i
		if n.Left -= 2 * n.depth; n.Left < 0 || len(dst) >= size {
			break
		}
	}
	n.at = i
	return append(dst, text[from:i]...)
}

// Ended reports whether Append has appended the whole text.
func (n *Indenter) Ended() bool { return n.at == len(n.text) }

// lineBreak is a line break and the indentation of most lines.
const lineBreak = "\n                                                                "

// appendLineBreak appends a line break and the indentation of a level.
func appendLineBreak(dst []byte, level int) []byte {
	size := 1 + 2*level
	for dst = append(dst, lineBreak[:min(size, len(lineBreak))]...); size > len(lineBreak); {
		size -= len(lineBreak) - 1
		dst = append(dst, lineBreak[1:min(size, len(lineBreak))]...)
	}
	return dst
}

// afterString returns the index after the end of a string that has begun before i.
func afterString(text []byte, i int) int {
	for {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return len(text)
		}
		if i += n + 1; text[i-2] != '\\' || !escaped(text, i-2) {
			return i
		}
	}
}

// escaped reports whether the backslash at i escapes what follows it, and is not escaped itself.
func escaped(text []byte, i int) bool {
	n := 0
	for text[i-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// afterBlanks returns the index of the first byte from i on that is not blank.
func afterBlanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}
