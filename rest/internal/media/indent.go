package media

import (
	"math"

	"github.com/decorum-go/decorum/internal/codec"
)

// indentBase and indentFactor limit the total indentation of an answer for people. If values are nested thousands of
// levels deep, each line has as many blanks, and the answer could become a thousand times larger. Above the limit, the
// answer is not indented.
const (
	indentBase   = 1 << 20
	indentFactor = 16
)

// blanksFor returns how many blanks the indentation of a JSON text may have.
func blanksFor(json []byte) int { return indentBase + indentFactor*len(json) }

// appendIndented appends a JSON text that stands at a level of nesting, indented if its indentation stays below the
// limit.
func appendIndented(dst, json []byte, level int) []byte {
	n := codec.NewIndenter(json, level)
	n.Left = blanksFor(json)
	if out := n.Append(dst, math.MaxInt); n.Left >= 0 {
		return out
	}
	return append(dst, json...)
}

// legible reports whether the indentation of a JSON text stays below the limit.
func legible(json []byte) bool { return indentationLeft(json) >= 0 }

// indentationLeft returns how far the indentation of a JSON text stays below the limit. It is negative above the limit.
func indentationLeft(json []byte) int {
	left := blanksFor(json)
	depth, quoted := 0, false
	for i := 0; i < len(json) && left >= 0; i++ {
		switch c := json[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
			left -= 2 * depth
		case c == '}', c == ']':
			depth--
			left -= 2 * depth
		case c == ',':
			left -= 2 * depth
		}
	}
	return left
}
