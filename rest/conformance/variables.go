package conformance

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// variables are the values for ${name} in requests.
type variables map[string]string

// expand replaces ${name}. Values may contain further variables. Undefined
// variables stay as they are.
func (vars variables) expand(s string) string {
	for depth := 0; depth < 4 && strings.Contains(s, "${"); depth++ {
		var b strings.Builder
		rest := s
		for {
			i := strings.Index(rest, "${")
			if i < 0 {
				break
			}
			end := strings.IndexByte(rest[i:], '}')
			if end < 0 {
				break
			}
			b.WriteString(rest[:i])
			if v, ok := vars[rest[i+2:i+end]]; ok {
				b.WriteString(v)
			} else {
				b.WriteString(rest[i : i+end+1])
			}
			rest = rest[i+end+1:]
		}
		b.WriteString(rest)
		s = b.String()
	}
	return s
}

// maxRepeat bounds one ${repeat:N:text}, in bytes.
const maxRepeat = 64 << 20

// expandBody also replaces ${repeat:N:text}, for large bodies; < and > in the text
// stand for braces.
func (vars variables) expandBody(s string) string {
	const opening = "${repeat:"
	braces := strings.NewReplacer("<", "{", ">", "}")
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, opening)
		spec, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			b.WriteString(s)
			return vars.expand(b.String())
		}
		number, repeated, _ := strings.Cut(spec, ":")
		repeated = braces.Replace(repeated)
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || len(repeated) > 0 && n > maxRepeat/len(repeated) {
			n = 0
		}
		b.WriteString(before)
		b.WriteString(strings.Repeat(repeated, n))
		s = after
	}
}

// readable replaces only the variables that the case file defines, to show a
// request as its author wrote it.
func (a *Area) readable(s string) string {
	for _, name := range slices.Sorted(maps.Keys(a.vars)) {
		s = strings.ReplaceAll(s, "${"+name+"}", a.vars[name])
	}
	return s
}

// randomName returns a name that is not in use and spells no word.
func randomName(n int) string {
	const letters = "bcdfghjkmnpqrstvwxz"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[rand.IntN(len(letters))]
	}
	return string(b)
}
