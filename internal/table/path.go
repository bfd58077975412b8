package table

import (
	"github.com/decorum-go/decorum/internal/doc"
)

// Path leads from an object to values inside it. The zero Path leads to the object itself. A Path is immutable.
type Path struct {
	text  string
	steps []step
}

// step is one part of a path.
type step struct {
	kind   stepKind
	key    string // of a member
	index  int    // of an element; a negative index counts from the end
	filter *filter
}

type stepKind uint8

const (
	toMember stepKind = iota
	toElement
	toAll
	toMatching
)

// filter selects elements of a list.
type filter struct {
	left     []step    // from the element to the left side of the comparison
	operator string    // "" only requires that left leads to a value
	right    doc.Value // the right side of the comparison
}

// String returns the path as it was written.
func (p Path) String() string { return p.text }

// First returns the first value, in the order of the document, to which the path leads. A step finds nothing in a value of the wrong type.
func (p Path) First(v doc.Value) (doc.Value, bool) { return first(p.steps, v) }

// first follows the steps. At a step to several values, it tries the remaining steps on each, and returns the first result.
func first(steps []step, v doc.Value) (doc.Value, bool) {
	for i, s := range steps {
		switch s.kind {
		case toMember:
			v = v.Get(s.key)
		case toElement:
			at := s.index
			if at < 0 {
				at += v.Len()
			}
			if v.Kind() != doc.List || at < 0 || at >= v.Len() {
				return doc.Value{}, false
			}
			v = v.At(at)
		case toAll, toMatching:
			for j := range v.Len() {
				if s.kind == toMatching && (v.Kind() != doc.List || !s.filter.matches(v.At(j))) {
					continue
				}
				if hit, ok := first(steps[i+1:], v.At(j)); ok {
					return hit, true
				}
			}
			return doc.Value{}, false
		}
		if v.IsAbsent() {
			return doc.Value{}, false
		}
	}
	return v, !v.IsAbsent()
}

func (f *filter) matches(element doc.Value) bool {
	left, ok := first(f.left, element)
	if !ok || f.operator == "" {
		return ok
	}
	order, ordered := compare(left, f.right)
	switch f.operator {
	case "==":
		return doc.Equal(left, f.right)
	case "!=":
		return !doc.Equal(left, f.right)
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
