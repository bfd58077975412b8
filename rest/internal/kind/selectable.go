package kind

import "strings"

// Selectable reads a declared selectable field: "spec.color", or "color=spec.paint,spec.material". It returns the name
// that field selectors use, and the paths where the value may stand.
func Selectable(declared string) (name string, paths []string) {
	name, others, named := strings.Cut(declared, "=")
	if !named {
		return name, []string{name}
	}
	return name, strings.Split(others, ",")
}
