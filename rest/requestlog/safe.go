package requestlog

import (
	"strconv"
	"unicode/utf8"
)

// maxText is how many bytes of a text a line has at most, after escaping.
const maxText = 256

// cutMark stands where a text was cut.
const cutMark = "…"

// safe returns a text that a client may have chosen in a form that shows as one line everywhere: characters that do not print, such as line
// breaks and those that turn the direction of writing, are escaped as in Go, and a long text is cut.
func safe(text string) string {
	if len(text) <= maxText && isASCII(text) {
		return text
	}
	out := make([]byte, 0, maxText+len(cutMark))
	for i := 0; i < len(text); {
		before := len(out)
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(append(out, `\x`...), hex(text[i])...)
		case strconv.IsPrint(r):
			out = utf8.AppendRune(out, r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			out = append(out, quoted[1:len(quoted)-1]...)
		}
		if len(out) > maxText {
			return string(out[:before]) + cutMark
		}
		i += size
	}
	return string(out)
}

func hex(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

// isASCII reports whether a text has only printable characters of ASCII.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
