package words

import (
	"strconv"
	"strings"
)

// maxParameters is the largest number of parameters that package net/url reads from a query.
const maxParameters = 10_000

// NotAQuery returns Go's message for a text that is not the query of a URL.
func NotAQuery(query string) string {
	switch {
	case strings.Count(query, "&") >= maxParameters:
		return "number of URL query parameters exceeded limit"
	case strings.Contains(query, ";"):
		return "invalid semicolon separator in query"
	}
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		for _, part := range [...]string{name, value} {
			if escape := badEscape(part); escape != "" {
				return "invalid URL escape " + strconv.Quote(escape)
			}
		}
	}
	return ""
}

// badEscape returns the first malformed escape of a text, or "".
func badEscape(text string) string {
	for i := range len(text) {
		escape := text[i:min(i+len("%00"), len(text))]
		if escape[0] == '%' && (len(escape) < len("%00") || !isHex(escape[1]) || !isHex(escape[2])) {
			return escape
		}
	}
	return ""
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
