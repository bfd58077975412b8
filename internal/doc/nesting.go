package doc

// DeeperThan reports whether lists and maps are nested deeper than limit levels in v. A string has no level, an empty
// list has one. DeeperThan visits at most limit+1 levels.
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
