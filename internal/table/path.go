package table

import (
	"github.com/decorum-go/decorum/internal/doc"
)

// Path leads from an object to values inside it. The zero Path leads to the object itself. A Path is immutable.
type Path struct {
	text string
	// routes lead to the values of the path, one after the other. A path with unions has one route for each choice of
	// their members.
	routes [][]step
}

// step is one part of a route.
type step struct {
	kind   stepKind
	key    string // the key of a member
	index  int    // the index of an element; a negative one counts from the end
	slice  slice
	filter *filter
}

type stepKind uint8

const (
	toMember stepKind = iota
	toElement
	toSlice
	toAll
	toMatching
	toAnyDepth
)

// slice selects elements of a list from one index, up to but without another one. Negative indexes count from the end.
type slice struct {
	from, to, by int
	toEnd        bool
}

// filter selects elements of a list.
type filter struct {
	left      Path      // the path from the element to the left side of the comparison
	operator  string    // "" only requires that left leads to a value
	right     doc.Value // the right side of the comparison, if path is false
	path      bool      // rightPath leads from the element to the right side
	rightPath Path
}

// maxVisited bounds the values that one search visits, because the steps to any depth of a path could visit each value
// many times.
const maxVisited = 10_000

// String returns the path as it was written.
func (p Path) String() string { return p.text }

// Members returns, for each route of the path, the members with which it begins. Everything that First visits lies in
// the last one.
func (p Path) Members() [][]string {
	if p.routes == nil {
		return [][]string{nil}
	}
	all := make([][]string, len(p.routes))
	for i, steps := range p.routes {
		for _, next := range steps {
			if next.kind != toMember {
				break
			}
			all[i] = append(all[i], next.key)
		}
	}
	return all
}

// Only returns the members that the path names, if it consists of nothing else. First then finds the value of the last
// of them.
func (p Path) Only() (members []string, ok bool) {
	if len(p.routes) != 1 {
		return nil, false
	}
	members = p.Members()[0]
	return members, len(members) > 0 && len(members) == len(p.routes[0])
}

// First returns the first value, in the order of the document, to which the path leads. A step finds nothing in a value
// of the wrong type, nor outside the bounds of a list. First finds nothing that is more than 10,000 values away.
func (p Path) First(v doc.Value) (doc.Value, bool) {
	s := search{left: maxVisited}
	return s.path(p, v)
}

// search looks for the first value of a path.
type search struct{ left int }

func (s *search) path(p Path, v doc.Value) (doc.Value, bool) {
	if p.routes == nil {
		return v, !v.IsAbsent()
	}
	for _, steps := range p.routes {
		if hit, ok := s.first(steps, v); ok {
			return hit, true
		}
	}
	return doc.Value{}, false
}

// first follows the steps. At a step to several values, it tries the remaining steps on each, and returns the first
// result.
func (s *search) first(steps []step, v doc.Value) (doc.Value, bool) {
	for i, next := range steps {
		if s.left--; s.left < 0 {
			return doc.Value{}, false
		}
		switch next.kind {
		case toMember:
			v = v.Get(next.key)
		case toElement:
			at := next.index
			if at < 0 {
				at += v.Len()
			}
			if v.Kind() != doc.List || at < 0 || at >= v.Len() {
				return doc.Value{}, false
			}
			v = v.At(at)
		case toAnyDepth:
			return s.below(steps[i+1:], v)
		default:
			return s.each(next, steps[i+1:], v)
		}
		if v.IsAbsent() {
			return doc.Value{}, false
		}
	}
	return v, !v.IsAbsent()
}

// each follows the steps from each of the elements or members that a step selects.
func (s *search) each(selects step, steps []step, v doc.Value) (doc.Value, bool) {
	from, to, by := 0, v.Len(), 1
	if v.Kind() != doc.List && selects.kind != toAll {
		return doc.Value{}, false
	}
	if selects.kind == toSlice {
		from, to, by = selects.slice.within(v.Len())
	}
	for j := from; j < to; j += by {
		if selects.kind == toMatching && !s.matches(selects.filter, v.At(j)) {
			continue
		}
		if hit, ok := s.first(steps, v.At(j)); ok {
			return hit, true
		}
	}
	return doc.Value{}, false
}

// within returns the indexes of a slice of a list. They are equal if a bound is outside of the list.
func (of slice) within(length int) (from, to, by int) {
	from, to = of.from, of.to
	if from < 0 {
		from += length
	}
	if of.toEnd {
		to = length
	} else if to < 0 {
		to += length
	}
	if from < 0 || to > length {
		return 0, 0, of.by
	}
	return from, to, of.by
}

// below follows the steps from a value that has elements or members, and then from those that these contain.
func (s *search) below(steps []step, v doc.Value) (doc.Value, bool) {
	if v.Len() == 0 || s.left <= 0 {
		return doc.Value{}, false
	}
	if hit, ok := s.first(steps, v); ok {
		return hit, true
	}
	s.left--
	for j := range v.Len() {
		if hit, ok := s.below(steps, v.At(j)); ok {
			return hit, true
		}
	}
	return doc.Value{}, false
}

func (s *search) matches(f *filter, element doc.Value) bool {
	left, ok := s.path(f.left, element)
	if !ok || f.operator == "" {
		return ok
	}
	right := f.right
	if f.path {
		if right, ok = s.path(f.rightPath, element); !ok {
			return false
		}
	}
	order, ordered := compare(left, right)
	switch f.operator {
	case "==":
		return doc.Equal(left, right)
	case "!=":
		return !doc.Equal(left, right)
	case "<":
		return ordered && order < 0
	case "<=":
		return ordered && order <= 0
	case ">":
		return ordered && order > 0
	default: // >=; the parser accepts no other operator
		return ordered && order >= 0
	}
}
