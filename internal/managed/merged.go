package managed

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// merged returns live with all values of a configuration, and live itself if it has all of them. It gives up, and
// returns false, if the configuration has list elements in another order than live, or if only one of the two has a
// list or map at a path.
func merged(s *schema.Schema, live, config doc.Value) (doc.Value, bool) {
	how := relation(s, config)
	switch {
	case live.IsAbsent():
		return config, true
	case live.Kind() != config.Kind():
		return config, live.Len() == 0 && config.Len() == 0
	case how == whole:
		if doc.Equal(live, config) {
			return live, true
		}
		return config, true
	case how != byMember:
		return mergedElements(s, how, live, config)
	case config.Len() == 0:
		return live, live.Len() == 0 || !hasEmptyList(s, live)
	}
	var changes []doc.Member
	for key, value := range config.Members() {
		before := live.Get(key)
		after, ok := merged(memberOf(s, key), before, value)
		if !ok {
			return doc.Value{}, false
		}
		if after != before {
			changes = append(changes, doc.Member{Key: key, Value: after})
		}
	}
	return live.WithAll(changes), true
}

// mergedElements merges lists whose elements have owners of their own. Elements that only one list has come before the
// next common element, those of live first.
func mergedElements(s *schema.Schema, how relationship, live, config doc.Value) (doc.Value, bool) {
	if config.Len() == 0 {
		return live, true
	}
	before, ok := namesOf(s, how, live)
	if !ok {
		return doc.Value{}, false
	}
	wanted, ok := namesOf(s, how, config)
	if !ok {
		return doc.Value{}, false
	}
	old, asked := positionsOf(before), positionsOf(wanted)
	var list []doc.Value
	changed := false
	for i, j := 0, 0; i < len(before) || j < len(wanted); {
		switch {
		case i < len(before) && asked.of(before[i], j) < 0:
			list = append(list, live.At(i))
			i++
		case j < len(wanted) && old.of(wanted[j], i) < 0:
			list = append(list, config.At(j))
			changed = true
			j++
		case i == len(before) || j == len(wanted) || before[i] != wanted[j]:
			return doc.Value{}, false
		default:
			element, ok := merged(s.Items, live.At(i), config.At(j))
			if !ok {
				return doc.Value{}, false
			}
			list = append(list, element)
			changed = changed || element != live.At(i)
			i, j = i+1, j+1
		}
	}
	if !changed {
		return live, true
	}
	return doc.ListOf(list...), true
}
