package doc

// DeeperThan reports whether lists and maps are nested deeper than limit levels in v; a string has none, an empty list
// one. It looks no deeper than it must to know.
func (v Value) DeeperThan(limit int) bool {
	if v.kind != List && v.kind != Map {
		return false
	}
	if limit <= 0 {
		return true
	}
	if v.node == nil {
		return false
	}
	for _, child := range v.node.values {
		if child.DeeperThan(limit - 1) {
			return true
		}
	}
	return false
}
