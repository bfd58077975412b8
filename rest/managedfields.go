package rest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

// agentOf returns the name under which a client writes that names no field manager: its User-Agent up to the first slash,
// without what cannot be printed.
func agentOf(userAgent string) string {
	name, _, _ := strings.Cut(userAgent, "/")
	if len(name) <= objectmeta.MaxFieldManager && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return name
	}
	var out strings.Builder
	for _, r := range name {
		switch {
		case !unicode.IsPrint(r):
		case out.Len()+utf8.RuneLen(r) > objectmeta.MaxFieldManager:
			return out.String()
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
