package doc

import (
	"strings"
	"unicode/utf8"
)

// CopyBeside is [Copy], except that the copy shares with former, an earlier copy, whatever is equal in the same place.
// bytes is about how much memory the copy takes besides former.
func CopyBeside(v, former Value) (copied Value, bytes int, ok bool) {
	c := besideCopier{ok: true}
	copied = c.value(v, former)
	return copied, c.bytes, c.ok
}

// besideCopier allocates only what differs, and counts it.
type besideCopier struct {
	ok    bool
	bytes int
}

func (c *besideCopier) value(v, former Value) Value {
	switch v.kind {
	case Absent:
		c.ok = false
	case String:
		if v == former {
			return former
		}
		v.text = c.text(v.text)
	case Number:
		if v = OfNumber(v.text); v == former {
			return former
		}
		v.text = c.text(v.text)
	case List, Map:
		if v.node == nil || v == former {
			return v
		}
		return c.parts(v, former)
	}
	return v
}

// parts copies a list or map that is not empty. It returns former if the two are equal.
func (c *besideCopier) parts(v, former Value) Value {
	if former.kind != v.kind || former.node == nil {
		former = Value{kind: v.kind, node: &node{}}
	}
	old, n := former.node, &node{}
	sameKeys := len(old.values) == len(v.node.values)
	j := 0 // the place in a former map, whose keys are sorted as well
	for i, e := range v.node.values {
		if v.kind == Map {
			key := v.node.keys[i]
			for j < len(old.keys) && old.keys[j] < key {
				j++
			}
			sameKeys = sameKeys && j == i && old.keys[j] == key
			if j == len(old.keys) || old.keys[j] != key {
				n.values = c.add(n.values, v, old, i, c.value(e, Value{}))
				continue
			}
		} else {
			j = i
		}
		before := Value{}
		if j < len(old.values) {
			before = old.values[j]
		}
		n.values = c.add(n.values, v, old, i, c.value(e, before))
	}
	switch {
	case n.values == nil && sameKeys:
		return former
	case n.values == nil: // the former value ends with more
		n.values = append(make([]Value, 0, len(v.node.values)), old.values[:len(v.node.values)]...)
		c.bytes += valueBytes * len(n.values)
	}
	if c.bytes += nodeBytes; v.kind == Map {
		n.keys = c.keys(v.node.keys, old.keys, sameKeys)
	}
	return Value{kind: v.kind, node: n}
}

// add adds the i-th value. As long as all values are those of the former list or map in the same places, it adds
// nothing.
func (c *besideCopier) add(values []Value, v Value, old *node, i int, e Value) []Value {
	if values == nil {
		if i < len(old.values) && old.values[i] == e && (v.kind == List || old.keys[i] == v.node.keys[i]) {
			return nil
		}
		values = append(make([]Value, 0, len(v.node.values)), old.values[:i]...)
		c.bytes += valueBytes * cap(values)
	}
	return append(values, e)
}

// keys returns the keys of a map.
func (c *besideCopier) keys(keys, old []string, same bool) []string {
	if same {
		return old
	}
	copied := make([]string, len(keys))
	c.bytes += keyBytes * len(keys)
	j := 0
	for i, key := range keys {
		for j < len(old) && old[j] < key {
			j++
		}
		if j < len(old) && old[j] == key {
			copied[i] = old[j]
		} else {
			copied[i] = c.text(key)
		}
	}
	return copied
}

func (c *besideCopier) text(s string) string {
	c.ok = c.ok && utf8.ValidString(s)
	c.bytes += len(s)
	return strings.Clone(s)
}
