package codec

import (
	"bytes"
	"iter"
	"regexp"
)

// separator is a line that ends a document of YAML. A separator within a block of text is indented.
var separator = regexp.MustCompile(`(?m)^---(?:[ \t].*)?\r?$`)

// Documents yields the documents of a YAML text, each with its offset. It leaves out an empty text before the first separator.
func Documents(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		start := 0
		for _, at := range separator.FindAllIndex(text, -1) {
			if before := text[start:at[0]]; (start > 0 || len(bytes.TrimSpace(before)) > 0) && !yield(start, before) {
				return
			}
			start = at[1]
		}
		yield(start, text[start:])
	}
}
