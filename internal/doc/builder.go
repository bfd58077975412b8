package doc

import (
	"slices"
	"strings"
)

// Builder makes the lists and maps of one document. It cuts them from chunks of memory, so that a document with a hundred
// maps costs a handful of allocations. In exchange, each part of the document keeps its whole chunk alive, so a Builder
// suits decoders, whose documents live briefly and are dropped as a whole. The zero Builder is ready to use. One
// goroutine at a time may use it.
type Builder struct {
	chunk  int // how many keys and values a chunk holds
	maps   int // how many nodes a chunk holds
	merge  bool
	nodes  []node
	keys   []string
	values []Value
}

// maxChunk is the largest size of a chunk, in entries.
const maxChunk = 1024

// Reset releases the previous document and starts a new one. size is about how many members and elements it has, maps
// about how many maps and lists. If merge is set, the builder merges several maps under one key of a map.
func (b *Builder) Reset(size, maps int, merge bool) {
	*b = Builder{chunk: min(max(size, 1), maxChunk), maps: min(max(maps, 1), maxChunk), merge: merge}
}

// List returns a list with a copy of values.
func (b *Builder) List(values []Value) Value {
	if len(values) == 0 {
		return Value{kind: List}
	}
	n := &b.cutNodes(1)[0]
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
			slices.SortStableFunc(members, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
			break
		}
	}
	n := &b.cutNodes(1)[0]
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

func (b *Builder) cutNodes(n int) []node   { return cutFrom(&b.nodes, n, max(b.maps, 1)) }
func (b *Builder) cutKeys(n int) []string  { return cutFrom(&b.keys, n, max(b.chunk, 1)) }
func (b *Builder) cutValues(n int) []Value { return cutFrom(&b.values, n, max(b.chunk, 1)) }

func cutFrom[E any](chunk *[]E, n, size int) []E {
	if len(*chunk) < n {
		if n > size {
			return make([]E, n) // a large piece gets memory of its own
		}
		*chunk = make([]E, size)
	}
	piece := (*chunk)[:n:n]
	*chunk = (*chunk)[n:]
	return piece
}
