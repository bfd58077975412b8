package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// change is a document with one difference.
type change struct {
	what string
	doc  map[string]any
}

// changes returns the documents that differ from this one in one place of the status, or outside of the status,
// apiVersion, kind and metadata: a member or element is missing, a value has changed, an element stands twice, or a map
// has a key that no label may have.
func changes(doc map[string]any, status bool) (all []change) {
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		if key == "apiVersion" || key == "kind" || key == "metadata" || (key == "status") != status {
			continue
		}
		changesAt(key, doc[key], func(what string, value any, keep bool) {
			all = append(all, change{what, with(doc, key, value, keep)})
		})
	}
	return all
}

// with returns a copy of the map with another value, or without the key.
func with(of map[string]any, key string, value any, keep bool) map[string]any {
	of = maps.Clone(of)
	of[key] = value
	if !keep {
		delete(of, key)
	}
	return of
}

// changesAt calls emit with each change of a value: what it is, and the new value, which is absent unless it is kept.
func changesAt(path string, v any, emit func(what string, value any, keep bool)) {
	emit("without "+path, nil, false)
	to := func(values ...any) {
		for _, value := range values {
			emit(fmt.Sprintf("%s: %.20v", path, value), value, true)
		}
	}
	switch v := v.(type) {
	case string:
		to("", "Not Valid!", "UPPER", "-a", "../a", "/a", "120%", strings.Repeat("a", 300))
	case float64, int64:
		to(int64(-1), int64(0), int64(70000))
	case bool:
		to(!v)
	case []any:
		to([]any{})
		for i := range v {
			emit(fmt.Sprintf("%s[%d] twice", path, i), slices.Insert(slices.Clone(v), i, v[i]), true)
			changesAt(fmt.Sprintf("%s[%d]", path, i), v[i], func(what string, value any, keep bool) {
				list := slices.Clone(v)
				if list[i] = value; !keep {
					list = slices.Delete(list, i, i+1)
				}
				emit(what, list, true)
			})
		}
	case map[string]any:
		emit(path+" with a bad key", with(v, "Bad key!", "x", true), true)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			changesAt(path+"."+key, v[key],
				func(what string, value any, keep bool) { emit(what, with(v, key, value, keep), true) })
		}
	}
}
