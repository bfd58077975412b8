package media

import (
	"cmp"
	"math"
	"mime"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// clause is one alternative of an Accept header.
type clause struct {
	media  string
	params map[string]string
	q      float64
}

// parseAccept returns the clauses of an Accept header, best first. It leaves out clauses that do not parse or have a q
// of 0. A q that is no positive number says nothing, so such a clause comes last.
func parseAccept(header string) []clause {
	var out []clause
	for _, part := range strings.Split(header, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		c := clause{media: media, params: params, q: 1}
		if v, ok := params["q"]; ok {
			if c.q, err = strconv.ParseFloat(v, 64); err != nil || !(c.q >= 0) {
				c.q = math.SmallestNonzeroFloat64
			}
		}
		if c.q > 0 {
			out = append(out, c)
		}
	}
	if !slices.IsSortedFunc(out, clause.compare) {
		sort.SliceStable(out, func(i, j int) bool { return out[i].compare(out[j]) < 0 })
	}
	return out
}

// compare puts the clause with the higher q first, and then the one with fewer wildcards.
func (c clause) compare(other clause) int {
	return cmp.Or(cmp.Compare(other.q, c.q),
		cmp.Compare(strings.Count(c.media, "*"), strings.Count(other.media, "*")))
}

// matches reports whether the clause accepts a media type, apart from its parameters.
func (c clause) matches(media string) bool {
	return c.media == media || c.media == "*/*" || c.media == "application/*"
}

// drops reports whether the client wants answers without managedFields (KEP-5958). Fields that cannot be dropped are
// ignored.
func (c clause) drops() bool {
	drop, ok := c.params["drop"]
	return ok && slices.Contains(strings.Split(drop, "+"), "metadata.managedFields")
}

// Preferred returns the offered media type that an Accept header prefers, or "" if it accepts none. If a clause accepts
// several, or without a header, the first one offered wins.
func Preferred(header string, offered ...string) string {
	if header == "" {
		return offered[0]
	}
	for _, c := range parseAccept(header) {
		if i := slices.IndexFunc(offered, c.matches); i >= 0 {
			return offered[i]
		}
	}
	return ""
}
