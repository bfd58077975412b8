package doc

import (
	"slices"
)

// Builder makes the lists and maps of one document. It cuts them from chunks of memory, so that a document with a
// hundred maps costs a handful of allocations. In exchange, each part of the document keeps its whole chunk alive, so a
// Builder suits decoders, whose documents live briefly and are dropped as a whole. The zero Builder is ready to use.
// One goroutine at a time may use it.
type Builder struct {
	merge  bool
	nodes  []node
	keys   []string
	values []Value
}

// maxFirst is the largest size of the first chunk, in members and elements. Further chunks hold furtherMembers, and
// chunks of nodes hold nodesInChunk, so that little of the last one is wasted.
const (
	maxFirst       = 1024
	furtherMembers = 16
	nodesInChunk   = 16
)

// Reset releases the previous document and starts a new one. size is about how many members and elements it has. If
// merge is set, the builder merges several maps under one key of a map.
func (b *Builder) Reset(size int, merge bool) {
	size = min(size, maxFirst)
	*b = Builder{merge: merge, keys: make([]string, size), values: make([]Value, size)}
}

// List returns a list with a copy of values.
func (b *Builder) List(values []Value) Value {
	if len(values) == 0 {
		return Value{kind: List}
	}
	n := b.cutNode()
	n.values = b.cutValues(len(values))
	copy(n.values, values)
	return Value{kind: List, node: n}
}

// Map returns a map of these members, and whether a key was duplicate. If so, its last value counts. Map copies the
// members and may reorder the slice. No value may be absent.
func (b *Builder) Map(members []Member) (v Value, repeated bool) {
	if len(members) == 0 {
		return Value{kind: Map}, false
	}
	for i := 1; i < len(members); i++ {
		if members[i-1].Key >= members[i].Key {
			sortMembers(members)
			break
		}
	}
	n := b.cutNode()
	n.keys, n.values = b.cutKeys(len(members)), b.cutValues(len(members))
	count := 0
	for i := 0; i < len(members); {
		end := i + 1
		for end < len(members) && members[end].Key == members[i].Key {
			end++
		}
		n.keys[count], n.values[count] = members[i].Key, members[end-1].Value
		if end > i+1 {
			repeated = true
			if b.merge {
				n.values[count] = b.merged(members[i:end])
			}
		}
		count++
		i = end
	}
	n.keys, n.values = n.keys[:count:count], n.values[:count:count]
	return Value{kind: Map, node: n}, repeated
}

// sortMembers sorts members by their keys, and keeps the order of those with equal keys. Most maps have few members,
// which it inserts one by one: that moves each member once.
func sortMembers(members []Member) {
	if len(members) > 16 {
		keys := make([]string, len(members))
		for i, m := range members {
			keys[i] = m.Key
		}
		unsorted := slices.Clone(members)
		for i, from := range sortedOrder(keys) {
			members[i] = unsorted[from]
		}
		return
	}
	for i := 1; i < len(members); i++ {
		m, at := members[i], i
		for at > 0 && members[at-1].Key > m.Key {
			at--
		}
		if at < i {
			copy(members[at+1:i+1], members[at:i])
			members[at] = m
		}
	}
}

// merged returns the last of several values under one key or, if it is a map, the union of the maps that end the
// sequence. It merges them in one step, because a hostile text can repeat a key very often.
func (b *Builder) merged(same []Member) Value {
	first := len(same)
	for first > 0 && same[first-1].Value.kind == Map {
		first--
	}
	if len(same)-first < 2 {
		return same[len(same)-1].Value
	}
	var all []Member
	for _, m := range same[first:] {
		for key, value := range m.Value.Members() {
			all = append(all, Member{key, value})
		}
	}
	v, _ := b.Map(all)
	return v
}

func (b *Builder) cutNode() *node          { return &cutFrom(&b.nodes, 1, nodesInChunk)[0] }
func (b *Builder) cutKeys(n int) []string  { return cutFrom(&b.keys, n, furtherMembers) }
func (b *Builder) cutValues(n int) []Value { return cutFrom(&b.values, n, furtherMembers) }

// cutFrom cuts n entries from a chunk. If too few are left, a small piece begins a chunk of that size, and a large
// piece gets memory of its own.
func cutFrom[E any](chunk *[]E, n, size int) []E {
	if len(*chunk) < n {
		if n > size {
			return make([]E, n)
		}
		*chunk = make([]E, size)
	}
	piece := (*chunk)[:n:n]
	*chunk = (*chunk)[n:]
	return piece
}
