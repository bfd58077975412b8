package doc

import "strings"

// Equal reports whether two documents are the same: the same members with the same values, lists in the same order.
// It compares numbers by value, so that 1, 1.0 and 1e0 are equal, and integers exactly.
func Equal(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case String, Bool:
		return a.text == b.text
	case Number:
		return equalNumbers(a, b)
	case List, Map:
		if a.node == b.node {
			return true
		}
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if a.kind == Map && a.node.keys[i] != b.node.keys[i] {
				return false
			}
			if !Equal(a.node.values[i], b.node.values[i]) {
				return false
			}
		}
	}
	return true
}

func equalNumbers(a, b Value) bool {
	if a.text == b.text {
		return true
	}
	if !strings.ContainsAny(a.text, ".eE") && !strings.ContainsAny(b.text, ".eE") {
		return strings.TrimPrefix(a.text, "-") == "0" && strings.TrimPrefix(b.text, "-") == "0"
	}
	x, okX := a.Int()
	y, okY := b.Int()
	if okX && okY {
		return x == y
	}
	f, okF := a.Float()
	g, okG := b.Float()
	return okF && okG && f == g
}
