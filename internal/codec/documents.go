package codec

import (
	"bytes"
	"iter"
	"regexp"
)

// separator is a mark between documents of YAML: "---" before one, or "..." after one. A mark within a block of text is
// indented.
var separator = regexp.MustCompile(`(?m)^(?:---|\.\.\.)(?:[ \t]|\r?$)`)

// mark is the length of a separator without what follows it.
const mark = len("---")

// Documents yields the documents of a YAML text, each with its offset. What follows a separator on its line belongs to
// the next document. Documents leaves out an empty text before the first separator.
func Documents(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		start := 0
		for _, at := range separator.FindAllIndex(text, -1) {
			if before := text[start:at[0]]; (start > 0 || len(bytes.TrimSpace(before)) > 0) && !yield(start, before) {
				return
			}
			start = at[0] + mark
		}
		yield(start, text[start:])
	}
}
