package media

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxWarningRunes limits the total length of an answer's warnings. Above it, each text is cut to maxWarningCut.
	maxWarningRunes = 4096
	maxWarningCut   = 256
)

// Warnings returns the values of an answer's Warning headers, each text once. If the texts exceed the limit, each is
// cut, and further ones are added, cut as well, until they reach the limit. The rule is upstream's.
func Warnings(all []string) (values []string) {
	var texts []string
	used, cutting := 0, false
	seen := map[string]bool{}
	for _, text := range all {
		if text == "" || seen[text] || cutting && used >= maxWarningRunes {
			continue
		}
		seen[text] = true
		texts = append(texts, text)
		if n := utf8.RuneCountInString(text); cutting {
			used += min(n, maxWarningCut)
		} else if used += n; used > maxWarningRunes {
			used, cutting = 0, true
			for _, earlier := range texts {
				used += min(utf8.RuneCountInString(earlier), maxWarningCut)
			}
		}
	}
	for _, text := range texts {
		if runes := []rune(text); cutting && len(runes) > maxWarningCut {
			text = string(runes[:maxWarningCut])
		}
		values = append(values, Warning(text))
	}
	return values
}

// Warning returns a text as the value of a Warning header (RFC 9111, code 299): a quoted string without control
// characters.
func Warning(text string) string {
	var out strings.Builder
	out.WriteString(`299 - "`)
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case unicode.IsControl(r):
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
