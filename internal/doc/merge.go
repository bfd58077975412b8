package doc

import "slices"

// WithAll returns the map with all these members set, or removed where the value is absent, in one pass over both. The
// caller sorts changes by key, without duplicates. WithAll treats any other kind as an empty map. If nothing changes,
// it returns the map itself.
func (v Value) WithAll(changes []Member) Value {
	if v.kind != Map {
		v = Value{kind: Map}
	}
	size, differs, sameKeys := v.Len(), false, true
	for _, c := range changes {
		old := v.Get(c.Key)
		differs = differs || old != c.Value
		switch {
		case old.kind == Absent && c.Value.kind != Absent:
			size, sameKeys = size+1, false
		case old.kind != Absent && c.Value.kind == Absent:
			size, sameKeys = size-1, false
		}
	}
	switch {
	case !differs:
		return v
	case size == 0:
		return Value{kind: Map}
	case sameKeys:
		return v.withValues(changes)
	}
	n := &node{keys: make([]string, 0, size), values: make([]Value, 0, size)}
	add := func(key string, value Value) {
		if value.kind != Absent {
			n.keys, n.values = append(n.keys, key), append(n.values, value)
		}
	}
	i := 0
	for _, c := range changes {
		for ; i < v.Len() && v.KeyAt(i) < c.Key; i++ {
			add(v.KeyAt(i), v.At(i))
		}
		if i < v.Len() && v.KeyAt(i) == c.Key {
			i++
		}
		add(c.Key, c.Value)
	}
	for ; i < v.Len(); i++ {
		add(v.KeyAt(i), v.At(i))
	}
	return Value{kind: Map, node: n}
}

// withValues is WithAll for changes that neither add nor remove a member, so that both maps can share their keys.
func (v Value) withValues(changes []Member) Value {
	n := &node{keys: v.node.keys, values: slices.Clone(v.node.values)}
	for _, c := range changes {
		if i, found := v.find(c.Key); found {
			n.values[i] = c.Value
		}
	}
	return Value{kind: Map, node: n}
}
