package remote

import (
	"net/http"
	"strings"
)

// Warnings returns the texts of the Warning headers with code 299 (RFC 9111; API conventions, Warnings).
func Warnings(h http.Header) (texts []string) {
	for _, value := range h["Warning"] {
		for value != "" {
			var code, text string
			if code, text, value = cutWarning(value); code == "299" && text != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// cutWarning cuts the first warning off a list. A warning has the form CODE AGENT "TEXT", optionally followed by a
// quoted date.
func cutWarning(list string) (code, text, rest string) {
	code, rest, _ = strings.Cut(strings.TrimLeft(list, " ,"), " ")
	_, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	text, rest = cutQuoted(rest)
	if date := strings.TrimLeft(rest, " "); strings.HasPrefix(date, `"`) {
		_, rest = cutQuoted(date)
	}
	return code, text, rest
}

// cutQuoted cuts a quoted string off s. If s does not begin with a quote, cutQuoted returns all of s.
func cutQuoted(s string) (text, rest string) {
	inside, quoted := strings.CutPrefix(s, `"`)
	if !quoted {
		return s, ""
	}
	var out strings.Builder
	for i := 0; i < len(inside); i++ {
		switch inside[i] {
		case '"':
			return out.String(), inside[i+1:]
		case '\\':
			if i++; i == len(inside) {
				return out.String(), ""
			}
		}
		out.WriteByte(inside[i])
	}
	return out.String(), ""
}
