package conformance

import (
	"cmp"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	uuidPattern      = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
	timePattern      = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$`)
	microTimePattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$`)
	hostPattern      = regexp.MustCompile(`127\.0\.0\.1:\d+|localhost:\d+|\[::1\]:\d+`)

	// Inside texts for people.
	spokenRevision = regexp.MustCompile(`(?i)((?:resource ?version|current|requested|in object meta|in precondition|in record)[a-z :"'=(\\]{0,24}?)(\d+)`)
	spokenTime     = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	spokenTooOld   = regexp.MustCompile(`(too old resource version: \d+ )\((\d+)\)`)
)

// text replaces the parts of a string that differ between runs. spoken says that
// people read it, so that numbers and times occur inside sentences.
func (in scope) text(s string, spoken bool) string {
	n := in.n
	switch {
	case s == "":
		return s
	case timePattern.MatchString(s) && !n.isLiteral(s):
		return "<time>"
	case microTimePattern.MatchString(s) && !n.isLiteral(s):
		return "<microtime>"
	}
	for name, symbol := range longestFirst(n.names) {
		s = strings.ReplaceAll(s, name, symbol)
	}
	for uid, symbol := range longestFirst(n.uids) {
		if len(uid) >= 8 {
			s = strings.ReplaceAll(s, uid, symbol)
		}
	}
	s = n.replaceUnlessLiteral(s, uuidPattern, "<uuid>")
	if spoken {
		s = in.spoken(s)
	}
	for _, name := range []string{"ns", "ns2", "u"} {
		s = strings.ReplaceAll(s, n.vars[name], "${"+name+"}")
	}
	s = strings.ReplaceAll(s, n.host, "<host>")
	s = hostPattern.ReplaceAllString(s, "<host>")
	if n.prefix != "" && strings.HasPrefix(s, n.prefix+"/") {
		s = strings.TrimPrefix(s, n.prefix)
	}
	return s
}

func (in scope) spoken(s string) string {
	n := in.n
	s = spokenTooOld.ReplaceAllString(s, "$1(<rv>)")
	s = n.replaceUnlessLiteral(s, spokenTime, "<time>")
	s = spokenRevision.ReplaceAllStringFunc(s, func(match string) string {
		groups := spokenRevision.FindStringSubmatch(match)
		words, rv := groups[1], groups[2]
		switch {
		case n.isLiteral(rv):
			return match
		case strings.HasPrefix(strings.ToLower(words), "current"):
			return words + "<rv>" // the position of the server as a whole
		}
		return words + n.revision(in.resource, rv, false, false)
	})
	for name, value := range longestFirst(n.vars) { // captured continue tokens and the like
		if len(n.vars[name]) > 24 && !strings.Contains(name, ".") {
			s = strings.ReplaceAll(s, value, "${"+name+"}")
		}
	}
	return s
}

// isLiteral reports whether the case itself contains a value, which no symbol may
// then replace.
func (n *normaliser) isLiteral(s string) bool { return strings.Contains(n.said, s) }

func (n *normaliser) replaceUnlessLiteral(s string, pattern *regexp.Regexp, symbol string) string {
	return pattern.ReplaceAllStringFunc(s, func(match string) string {
		if n.isLiteral(match) {
			return match
		}
		return symbol
	})
}

// longestFirst iterates over a map in the same order in every run. A key that is
// part of another key comes after it.
func longestFirst(m map[string]string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		keys := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
		})
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
