package codec

import (
	"encoding/binary"
	"slices"
)

// assembly encodes a message that contains messages. The length of a nested message precedes it, but is known only
// after the nested message is encoded. An assembly records the places of the lengths, and inserts all lengths at the
// end. The cost does not depend on the depth.
type assembly struct {
	bytes   []byte // everything but the lengths
	gaps    []gap  // sorted by their places
	lengths int    // how many bytes the lengths of the finished messages take
}

// gap is an offset in the bytes of an assembly, and the length to insert there.
type gap struct{ at, length int }

// nested appends a field whose message content appends.
func (a *assembly) nested(number int, content func() error) error {
	a.bytes = appendTag(a.bytes, number, wireBytes)
	i, at, before := len(a.gaps), len(a.bytes), a.lengths
	a.gaps = append(a.gaps, gap{at: at})
	if err := content(); err != nil {
		return err
	}
	length := len(a.bytes) - at + a.lengths - before
	a.gaps[i].length = length
	a.lengths += len(binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64), uint64(length)))
	return nil
}

// appendTo appends the whole message.
func (a *assembly) appendTo(dst []byte) []byte {
	dst = slices.Grow(dst, len(a.bytes)+a.lengths)
	done := 0
	for _, g := range a.gaps {
		dst = append(dst, a.bytes[done:g.at]...)
		dst = binary.AppendUvarint(dst, uint64(g.length))
		done = g.at
	}
	return append(dst, a.bytes[done:]...)
}
