package main

import (
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// initialisms are words that Go code writes in capital letters.
var initialisms = []string{"api", "cidr", "cpu", "dns", "http", "https", "id", "ip", "json", "tcp", "tls", "ttl", "udp",
	"uid", "uri", "url", "uuid", "yaml"}

// goName returns the name of an exported Go field for a name in JSON.
func goName(name string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLower(r) })
		if end < 0 {
			end = len(word)
		}
		if first := word[:end]; slices.Contains(initialisms, first) {
			out.WriteString(strings.ToUpper(first) + word[end:])
			continue
		}
		runes := []rune(word)
		runes[0] = unicode.ToUpper(runes[0])
		out.WriteString(string(runes))
	}
	if !isExported(out.String()) {
		return "X" + out.String()
	}
	return out.String()
}

func isExported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

// singular returns the name of one element of a list.
func singular(name string) string {
	switch {
	case strings.HasSuffix(name, "ies"):
		return strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "sses"), strings.HasSuffix(name, "xes"), strings.HasSuffix(name, "ches"):
		return strings.TrimSuffix(name, "es")
	case strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss"):
		return strings.TrimSuffix(name, "s")
	}
	return name
}

// isJSONName reports whether the json tag of a field can have a name.
func isJSONName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}
