package media

// indentBase and indentFactor bound the blanks in front of the lines of an answer for people: what is nested thousands of
// levels deep has as many in each line, and would be a thousand times its size. Beyond that it is sent without.
const (
	indentBase   = 1 << 20
	indentFactor = 16
)

// legible reports whether a JSON text is worth a line for each of its values.
func legible(json []byte) bool {
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
	return left >= 0
}
