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
	return rep.format().room(roomSize{json: json, text: n, document: n + codec.DocumentBytes(json)})
}

// roomSize is the size of a JSON text and of its document, in bytes.
type roomSize struct {
	json           []byte
	text, document int
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
