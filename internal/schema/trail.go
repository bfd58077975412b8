package schema

import (
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/status"
)

// trail is the position of a walk: one step for each level of the document, linked to the level above, beginning with
// one for the document itself. The steps live on the stack of the walk, so tracking the position allocates nothing
// until there is an error. Therefore nothing may retain a step; an error copies what it needs.
type trail struct {
	up    *trail
	key   string // a member's name; unused for elements
	index int    // an element's index, or member
	inMap bool   // the member belongs to a map, not to a struct
}

// member is the index of a step that names a member.
const member = -1

// below returns the position as a path, for an error. The root is where the walk began.
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

// belowKeys is below with map keys in brackets, as in errors about duplicates.
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

// appendTo appends the position as text, such as spec.containers[0].name.
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

// text returns the position as the texts of errors name it. Like kube-apiserver, it begins with a dot at a member of a
// map if the walk began at that map.
func (t *trail) text() string {
	text := t.below(nil).String()
	for ; t.up != nil; t = t.up {
		if t.up.up == nil && t.index == member && t.inMap {
			return "." + text
		}
	}
	return text
}
