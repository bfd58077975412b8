package media

import "strings"

// HasTag reports whether the values of a header If-None-Match name an entity tag. Weak tags match too, because a proxy
// that compresses an answer makes its tag weak (RFC 9110, 13.1.2).
func HasTag(ifNoneMatch []string, tag string) bool {
	rest := strings.Join(ifNoneMatch, ",")
	if strings.TrimSpace(rest) == "*" {
		return true
	}
	for {
		rest = strings.TrimLeft(rest, " \t,")
		opaque, quoted := strings.CutPrefix(strings.TrimPrefix(rest, "W/"), `"`)
		end := strings.IndexByte(opaque, '"')
		if !quoted || end < 0 { // the end, or a value that is not a list of tags
			return false
		}
		if `"`+opaque[:end]+`"` == tag {
			return true
		}
		rest = opaque[end+1:]
	}
}
