package schema

import (
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/status"
)

// trail is where a walk stands: one step of it for each level of the document, linked to the level above, and a first one
// for the document itself. The steps live on the stack of the walk, so knowing the way costs nothing until there is
// something to say. For that, nothing that a step holds may be kept: what leaves it is copied.
type trail struct {
	up    *trail
	key   string // a member's name; unused for elements
	index int    // an element's position, or member
	inMap bool   // the member is one of a map's, not of a struct
}

// member is the index of a step that names a member.
const member = -1

// below returns the place as a path, for an error. The root is where the walk began.
func (t *trail) below(root *status.Path) *status.Path {
	if t.up == nil {
		return root
	}
	above := t.up.below(root)
	if t.index == member {
		return above.Child(strings.Clone(t.key))
	}
	return above.Index(t.index)
}

// belowKeys is below with the members of maps in brackets, as the errors about duplicates have it.
func (t *trail) belowKeys(root *status.Path) *status.Path {
	switch {
	case t.up == nil:
		return root
	case t.index == member && t.inMap:
		return t.up.belowKeys(root).Key(strings.Clone(t.key))
	case t.index == member:
		return t.up.belowKeys(root).Child(strings.Clone(t.key))
	}
	return t.up.belowKeys(root).Index(t.index)
}

// appendTo writes the place as text, e.g. spec.containers[0].name.
func (t *trail) appendTo(dst []byte) []byte {
	if t.up == nil {
		return dst
	}
	dst = t.up.appendTo(dst)
	if t.index != member {
		dst = append(dst, '[')
		dst = strconv.AppendInt(dst, int64(t.index), 10)
		return append(dst, ']')
	}
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	return append(dst, t.key...)
}
