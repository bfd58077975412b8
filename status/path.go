package status

import (
	"strconv"
	"strings"
)

// Path names a member of an object, as "spec.ports[0].name". It is immutable and
// linked to its parent, so descending costs one small allocation and only an
// error pays for the text. A nil *Path is the root, the object itself; it prints
// as the empty string.
type Path struct {
	parent  *Path
	element string
	bracket bool // an index or key, printed as [element]
}

// NewPath returns the path of a top-level member or, with more names, of a member
// below it.
func NewPath(name string, more ...string) *Path {
	return (*Path)(nil).Child(name).Child(more...)
}

// Child returns the path of a member of p or, with several names, of a member
// further below.
func (p *Path) Child(names ...string) *Path {
	for _, name := range names {
		p = &Path{parent: p, element: name}
	}
	return p
}

// Index returns the path of an item of the list at p, counted from 0.
func (p *Path) Index(i int) *Path {
	return &Path{parent: p, element: strconv.Itoa(i), bracket: true}
}

// Key returns the path of an entry of the map at p.
func (p *Path) Key(k string) *Path {
	return &Path{parent: p, element: k, bracket: true}
}

// String returns the path as field errors print it: members joined by dots,
// indexes and keys in brackets, such as "metadata.annotations[a.b/c]".
func (p *Path) String() string {
	var elements []*Path
	for ; p != nil; p = p.parent {
		elements = append(elements, p)
	}
	var b strings.Builder
	for i := len(elements) - 1; i >= 0; i-- {
		e := elements[i]
		switch {
		case e.bracket:
			b.WriteString("[" + e.element + "]")
		case e.parent != nil:
			b.WriteString("." + e.element)
		default:
			b.WriteString(e.element)
		}
	}
	return b.String()
}
