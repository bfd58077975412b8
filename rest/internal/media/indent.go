package media

// indentBase and indentFactor limit the total indentation of an answer for people. If values are nested thousands of
// levels deep, each line has as many blanks, and the answer could become a thousand times larger. Above the limit, the
// answer is not indented.
const (
	indentBase   = 1 << 20
	indentFactor = 16
)

// legible reports whether the indentation of a JSON text stays below the limit.
func legible(json []byte) bool { return indentationLeft(json) >= 0 }

// indentationLeft returns how far the indentation of a JSON text stays below the limit. It is negative above the limit.
func indentationLeft(json []byte) int {
	left := indentBase + indentFactor*len(json)
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
