package codec

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDuplicates limits how many paths are reported, and maxDuplicatePaths how many bytes they have in total: a path
// repeats member names, which may be as long as the text.
const (
	maxDuplicates     = 100
	maxDuplicatePaths = 64 << 10
)

// findDuplicates returns the paths of duplicate members in the order of the text, an outer member before those in its
// value, each path once. The text must be valid. Only a text with duplicates needs this second pass.
func findDuplicates(data []byte) []string {
	var found []string
	size := 0 // bytes of all paths found
	VisitMembers(data, func(path []byte, again bool) bool {
		fits := len(found) < maxDuplicates && size+len(path) <= maxDuplicatePaths || len(found) == 0 // at least one is always reported
		if again && fits && !slices.Contains(found, string(path)) {
			size += len(path)
			found = append(found, string(path))
		}
		return true
	})
	return found
}

// VisitMembers calls visit with the path of each member of a valid JSON text, in the order of the text, a member before
// those in its value. again reports that the map already had a member of that name. If visit returns false,
// VisitMembers skips the members in the value. The path is valid until visit returns.
func VisitMembers(data []byte, visit func(path []byte, again bool) (descend bool)) {
	w := &memberWalk{scan: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true)), visit: visit}
	w.value(0)
}

type memberWalk struct {
	scan  *jsontext.Decoder
	path  []byte
	visit func(path []byte, again bool) bool
}

func (w *memberWalk) value(depth int) {
	token, err := w.scan.ReadToken()
	if err != nil {
		return
	}
	parent := len(w.path)
	switch token.Kind() {
	case '{':
		seen := map[string]bool{}
		for w.scan.PeekKind() == '"' {
			token, err := w.scan.ReadToken()
			if err != nil {
				return
			}
			name := token.String()
			if depth > 0 {
				w.path = append(w.path, '.')
			}
			w.path = append(w.path, name...)
			descend := w.visit(w.path, seen[name])
			seen[name] = true
			if descend {
				w.value(depth + 1)
			} else if err := w.scan.SkipValue(); err != nil {
				return
			}
			w.path = w.path[:parent]
		}
	case '[':
		for i := 0; w.scan.PeekKind() != ']'; i++ {
			w.path = append(strconv.AppendInt(append(w.path, '['), int64(i), 10), ']')
			w.value(depth + 1)
			w.path = w.path[:parent]
		}
	default:
		return
	}
	_, _ = w.scan.ReadToken() // the end of the map or list, which exists because the text is valid
}
