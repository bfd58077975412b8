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
	w := &duplicateWalk{scan: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))}
	w.value(0)
	return w.found
}

type duplicateWalk struct {
	scan  *jsontext.Decoder
	path  []byte
	found []string
	size  int // bytes of all paths found
}

func (w *duplicateWalk) value(depth int) {
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
			if seen[name] {
				w.report()
			}
			seen[name] = true
			w.value(depth + 1)
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

func (w *duplicateWalk) report() {
	if len(w.found) >= maxDuplicates || w.size+len(w.path) > maxDuplicatePaths || slices.Contains(w.found, string(w.path)) {
		return
	}
	w.size += len(w.path)
	w.found = append(w.found, string(w.path))
}
