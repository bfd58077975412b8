package codec

import (
	"bytes"
	"iter"
)

// mark is the length of a separator without what follows it.
const mark = len("---")

// Documents yields the documents of a YAML text, each with its offset. "---" separates it from the one before, or "..."
// from the one after. What follows a separator on its line belongs to the next document. Documents leaves out an empty
// text before the first separator.
func Documents(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		start := 0
		for at := 0; at < len(text); {
			if isSeparator(text[at:]) {
				if before := text[start:at]; (start > 0 || len(bytes.TrimSpace(before)) > 0) && !yield(start, before) {
					return
				}
				start = at + mark
			}
			line := bytes.IndexByte(text[at:], '\n')
			if line < 0 {
				break
			}
			at += line + 1
		}
		yield(start, text[start:])
	}
}

// isSeparator reports whether a line begins with a separator. One within a block of text is indented.
func isSeparator(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return false
	}
	after := line[mark:]
	return len(after) == 0 || after[0] == ' ' || after[0] == '\t' || after[0] == '\n' ||
		after[0] == '\r' && (len(after) == 1 || after[1] == '\n')
}
