package errorlog

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// MaxText is the size limit of a short text of a client in a line, such as a name or a path, in bytes after escaping.
const MaxText = 256

// cutMark stands where a text was cut.
const cutMark = "…"

// Safe returns a text that a client may have chosen in a form that shows as one line everywhere: characters that do not
// print, such as line breaks and those that turn the direction of writing, are escaped as in Go, and a text of more
// than max bytes is cut.
func Safe(text string, max int) string {
	if len(text) <= max && isASCII(text) {
		return text
	}
	out := make([]byte, 0, min(max, len(text))+len(cutMark))
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
		if len(out) > max {
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

// maxError is the size limit of the text of an error in a line, in bytes after escaping.
const maxError = 4 << 10

// Bound returns an error for the log, with the text of err in the form of [Safe], because a hook of the host may have
// quoted what a client has sent. A [Withheld] error gets its text for the log. Handlers find err itself by [errors.As].
func Bound(err error) error { return bounded{err} }

type bounded struct{ err error }

func (b bounded) Error() string {
	text := b.err.Error()
	if w, ok := errors.AsType[*Withheld](b.err); ok {
		text = w.Instead
	}
	return Safe(text, maxError)
}

func (b bounded) Unwrap() error { return b.err }

// Withheld is an error in the words of another program, such as a webhook, which may quote what clients have sent.
// Clients get these words. The log gets Instead.
type Withheld struct {
	error
	// Instead is the text for the log. It says which program has answered.
	Instead string
}

// Withhold returns err with the text for the log.
func Withhold(err error, instead string) error { return &Withheld{err, instead} }

// Unwrap returns the error with the words of the other program.
func (w *Withheld) Unwrap() error { return w.error }
