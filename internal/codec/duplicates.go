package codec

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDuplicates is how many paths are reported at most, and maxDuplicatePaths how many bytes they may have together:
// a path repeats the member names of the text, and those may be as long as the text.
const (
	maxDuplicates     = 100
	maxDuplicatePaths = 64 << 10
)

// findDuplicates lists the paths of repeated members in the order in which they repeat, an outer one before those in
// its value, each once. The text is known to be valid. This second reading is spared to texts without duplicates.
func findDuplicates(data []byte) []string {
	var found []string
	size := 0 // bytes of all paths found
	VisitMembers(data, func(path []byte, again bool) bool {
		fits := len(found) < maxDuplicates && size+len(path) <= maxDuplicatePaths || len(found) == 0 // one is always named
		if again && fits && !slices.Contains(found, string(path)) {
			size += len(path)
			found = append(found, string(path))
		}
		return true
	})
	return found
}

// VisitMembers calls visit with the path of each member of a valid JSON text, in the order in which they stand there, a
// member before those in its value. again says that its map has had a member of that name before. What is within the
// member's value is passed over where visit returns false. The path is visit's until it returns.
func VisitMembers(data []byte, visit func(path []byte, again bool) (descend bool)) {
	w := &memberWalk{scan: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), visit: visit}
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
	_, _ = w.scan.ReadToken() // the end of the map or list, which is there
}
