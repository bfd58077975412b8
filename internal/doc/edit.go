package doc

import "slices"

// With returns the map with one member set, or removed if value is absent. It treats any other kind as an empty map.
func (v Value) With(key string, value Value) Value {
	i, found := v.find(key)
	switch {
	case value.kind == Absent && !found:
		if v.kind != Map {
			return Value{kind: Map}
		}
		return v
	case value.kind == Absent:
		return v.cut(i)
	case found && v.node.values[i] == value:
		return v
	}
	n := &node{}
	if v.kind == Map && v.node != nil {
		if found {
			n.keys = v.node.keys // keys never change in place, so both nodes can share them
			n.values = slices.Clone(v.node.values)
			n.values[i] = value
			return Value{kind: Map, node: n}
		}
		n.keys = make([]string, 0, len(v.node.keys)+1)
		n.values = make([]Value, 0, len(v.node.values)+1)
		n.keys = append(append(append(n.keys, v.node.keys[:i]...), key), v.node.keys[i:]...)
		n.values = append(append(append(n.values, v.node.values[:i]...), value), v.node.values[i:]...)
		return Value{kind: Map, node: n}
	}
	n.keys, n.values = []string{key}, []Value{value}
	return Value{kind: Map, node: n}
}

// Without returns the map without these members.
func (v Value) Without(keys ...string) Value {
	for _, k := range keys {
		if i, found := v.find(k); found {
			v = v.cut(i)
		}
	}
	return v
}

func (v Value) cut(i int) Value {
	if len(v.node.values) == 1 {
		return Value{kind: v.kind}
	}
	n := &node{values: cut(v.node.values, i)}
	if v.kind == Map {
		n.keys = cut(v.node.keys, i)
	}
	return Value{kind: v.kind, node: n}
}

func cut[E any](s []E, i int) []E {
	out := make([]E, 0, len(s)-1)
	return append(append(out, s[:i]...), s[i+1:]...)
}

// WithAt sets the value at a path of member names, and creates the missing maps on the path. An absent value removes
// the member but keeps the maps above it.
func (v Value) WithAt(value Value, path ...string) Value {
	if len(path) == 0 {
		return value
	}
	child := v.Get(path[0])
	if value.kind == Absent && child.kind == Absent {
		return v
	}
	return v.With(path[0], child.WithAt(value, path[1:]...))
}

// Rewrite returns the list or map with each value replaced by the result of f, and without those for which f returns
// an absent value. If f changes nothing, Rewrite returns the value itself and allocates nothing. In a list the key is
// ""; in a map f receives both index and key.
func (v Value) Rewrite(f func(i int, key string, value Value) Value) Value {
	if v.node == nil {
		return v
	}
	var out *node
	for i, old := range v.node.values {
		key := ""
		if v.node.keys != nil {
			key = v.node.keys[i]
		}
		next := f(i, key, old)
		if out == nil {
			if next == old {
				continue
			}
			out = &node{values: append(make([]Value, 0, len(v.node.values)), v.node.values[:i]...)}
			if v.node.keys != nil {
				out.keys = append(make([]string, 0, len(v.node.keys)), v.node.keys[:i]...)
			}
		}
		if next.kind == Absent {
			continue
		}
		out.values = append(out.values, next)
		if v.node.keys != nil {
			out.keys = append(out.keys, key)
		}
	}
	switch {
	case out == nil:
		return v
	case len(out.values) == 0:
		return Value{kind: v.kind}
	}
	return Value{kind: v.kind, node: out}
}
