package codec

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
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
	text, i := n.text, n.at
	for i < len(text) {
		c := text[i]
		switch c {
		case '"':
			if dst, i = appendString(dst, text, i); i >= len(text) || text[i] != ':' {
				continue
			}
			dst = append(dst, ':', ' ')
			i++
			continue
		case ':':
			dst = append(dst, ':', ' ')
			i++
			continue
		case ',':
			dst = append(dst, ',')
			i++
		case '{', '[':
			n.depth++
			if next := afterBlanks(text, i+1); next < len(text) && (text[next] == '}' || text[next] == ']') {
				dst = append(dst, c, text[next]) // it is empty, and stays on its line
				n.Left -= 4*n.depth - 2
				n.depth--
				i = next + 1
				continue
			}
			dst = append(dst, c)
			i++
		case '}', ']':
			n.depth--
			dst = append(appendLineBreak(dst, n.base+n.depth), c)
			i++
			if n.Left -= 2 * n.depth; n.Left < 0 || len(dst) >= size {
				n.at = i
				return dst
			}
			continue
		case ' ', '\t', '\n', '\r':
			if n.depth == 0 { // json.Indent keeps what comes after the text
				dst = append(dst, c)
			}
			i++
			continue
		default:
			dst = append(dst, c)
			i++
			continue
		}
		dst = appendLineBreak(dst, n.base+n.depth)
		if n.Left -= 2 * n.depth; n.Left < 0 || len(dst) >= size {
			break
		}
	}
	n.at = i
	return dst
}

// Ended reports whether Append has appended the whole text.
func (n *Indenter) Ended() bool { return n.at == len(n.text) }

// appendLineBreak appends a line break and the indentation of a level.
func appendLineBreak(dst []byte, level int) []byte {
	const blanks = 0x2020202020202020
	size := 1 + 2*level
	dst = slices.Grow(dst, size+7) // whole words are written
	line := dst[len(dst) : len(dst)+size+7]
	binary.LittleEndian.PutUint64(line, blanks&^0xff|'\n')
	for at := 8; at < size; at += 8 {
		binary.LittleEndian.PutUint64(line[at:], blanks)
	}
	return dst[:len(dst)+size]
}

// appendString appends the string that begins at i, and returns the index after its end. Most strings of objects are so
// short that two calls, one to find the end and one to copy, take longer than both in one loop.
func appendString(dst, text []byte, i int) ([]byte, int) {
	const ones, quotes, tops = 0x0101010101010101, 0x2222222222222222, 0x8080808080808080
	dst = append(dst, '"')
	i++
	for words := 0; words < 8 && i+8 <= len(text) && len(dst)+8 <= cap(dst); words++ {
		word := binary.LittleEndian.Uint64(text[i:])
		binary.LittleEndian.PutUint64(dst[len(dst):len(dst)+8], word)
		quote := word ^ quotes // its first byte of zero is the first quote
		found := (quote - ones) &^ quote & tops
		if found == 0 {
			dst = dst[:len(dst)+8]
			i += 8
			continue
		}
		size := bits.TrailingZeros64(found)/8 + 1
		dst = dst[:len(dst)+size]
		if i += size; text[i-2] != '\\' || !escaped(text, i-2) {
			return dst, i
		}
	}
	end := afterString(text, i)
	return append(dst, text[i:end]...), end
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
