package conformance

import (
	"slices"
	"strings"
)

// filter keeps the elements of a list whose Key is one of Keep, in that order, because
// servers may serve more groups and resources than the recorded one.
type filter struct {
	Path string `yaml:"path"`
	Key  string `yaml:"key"` // "." means the element itself
	Keep texts  `yaml:"keep"`
}

// shape removes from a response what its step does not compare. It changes the
// response.
func shape(response map[string]any, s *step) {
	for _, f := range s.Filter {
		visit(response, splitPath(f.Path), func(parent map[string]any, key string) {
			if list, ok := parent[key].([]any); ok {
				parent[key] = f.apply(list)
			}
		})
	}
	for _, path := range s.Sets {
		visit(response, splitPath(path), func(parent map[string]any, key string) {
			if list, ok := parent[key].([]any); ok {
				sortBy(list, jsonText)
			}
		})
	}
	for _, path := range s.Ignore {
		visit(response, splitPath(path), func(parent map[string]any, key string) { delete(parent, key) })
	}
}

func (f filter) apply(list []any) []any {
	kept := []any{}
	for _, k := range f.Keep {
		for _, e := range list {
			if v, ok := lookup(e, f.Key); ok && text(v) == k {
				kept = append(kept, e)
			}
		}
	}
	if f.Key == "." {
		sortBy(kept, text)
	}
	return kept
}

// sortBy sorts values by a text key.
func sortBy(list []any, key func(any) string) {
	slices.SortStableFunc(list, func(a, b any) int { return strings.Compare(key(a), key(b)) })
}
