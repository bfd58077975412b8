package media

import "github.com/decorum-go/decorum/internal/codec"

// Room returns how many bytes of memory the encoding of a JSON text takes, with all intermediate values. It returns 0
// if the answer is small, or shares the text of the store. A text of short values takes more for each byte, because
// each value takes memory besides its text.
func (rep *Representation) Room(json []byte) int {
	n := len(json)
	if n <= ChunkSize || rep.IsPlain() {
		return 0
	}
	document := n + codec.DocumentBytes(json)
	switch {
	case rep.Media == YAML:
		return max(10*n, 2*document+2*legibleBytes(json)) // also as Go values; the buffer doubles when it grows
	case rep.Media == CBOR:
		return max(6*n, 2*document)
	case rep.Pretty:
		return max(4*n, 3*legibleBytes(json))
	}
	return max(4*n, 2*n+document)
}

// legibleBytes returns the size of a JSON text that is indented, if it is indented at all.
func legibleBytes(json []byte) int {
	left := indentationLeft(json)
	if left < 0 {
		return len(json)
	}
	// A line break follows each bracket and each comma.
	return len(json) + indentBase + indentFactor*len(json) - left + 2*codec.CountValues(json)
}
