package conformance

import (
	"strconv"
	"strings"
)

// lookup finds a value by a path such as a.b[0]["x.y/z"], in which numbers name
// elements of lists.
func lookup(v any, path string) (any, bool) {
	if path == "" || path == "." {
		return v, true
	}
	for _, p := range splitPath(path) {
		switch x := v.(type) {
		case map[string]any:
			e, ok := x[p]
			if !ok {
				return nil, false
			}
			v = e
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// splitPath splits a.b[*].c["x.y/z"] into its parts.
func splitPath(path string) []string {
	var parts []string
	for path != "" {
		end := strings.IndexAny(path, ".[")
		switch {
		case end < 0:
			return append(parts, path)
		case end > 0:
			parts = append(parts, path[:end])
		}
		if path[end] == '.' {
			path = path[end+1:]
			continue
		}
		path = path[end:]
		closing := strings.IndexByte(path, ']')
		if closing < 0 {
			return append(parts, path)
		}
		parts = append(parts, strings.Trim(path[1:closing], `"'`))
		path = path[closing+1:]
	}
	return parts
}

// visit calls fn for every member a path selects; * stands for any one element and
// ** for any depth.
func visit(v any, path []string, fn func(parent map[string]any, key string)) {
	if len(path) == 0 {
		return
	}
	p, rest := path[0], path[1:]
	switch x := v.(type) {
	case map[string]any:
		if p == "**" {
			visit(x, rest, fn)
			for _, e := range x {
				visit(e, path, fn)
			}
			return
		}
		for _, k := range matching(x, p) {
			if len(rest) == 0 {
				fn(x, k)
			} else {
				visit(x[k], rest, fn)
			}
		}
	case []any:
		for i, e := range x {
			switch {
			case p == "**":
				visit(e, path, fn)
			case p == "*" || p == strconv.Itoa(i):
				visit(e, rest, fn)
			}
		}
	}
}

func matching(m map[string]any, p string) []string {
	if p != "*" {
		if _, ok := m[p]; ok {
			return []string{p}
		}
		return nil
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
