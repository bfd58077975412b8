package doc

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Kind is the JSON type of a [Value].
type Kind uint8

// The kinds. Absent is the kind of the zero Value. It means that there is no value, not even null.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	List
	Map
)

// String names the kind as JSON Schema does.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case List:
		return "array"
	case Map:
		return "object"
	default:
		return "absent"
	}
}

// JSONName returns the name of the kind that encoding/json uses in its errors.
func (v Value) JSONName() string {
	if v.kind == Bool {
		return "bool"
	}
	return v.kind.String()
}

// Value is one immutable JSON value. The zero Value is absent. Values are small and passed by value. Goroutines may
// share them.
type Value struct {
	kind Kind
	text string // the string, the number's literal, or "true" and "false"
	node *node  // the content of a list or a map; nil when empty
}

// node is the content of a list (keys is nil) or of a map (keys sorted, as many as values).
type node struct {
	keys   []string
	values []Value
}

// Member is one key of a map with its value.
type Member struct {
	Key   string
	Value Value
}

// Of returns the string s as a document.
func Of(s string) Value { return Value{kind: String, text: s} }

// OfBool returns b as a document.
func OfBool(b bool) Value {
	if b {
		return Value{kind: Bool, text: "true"}
	}
	return Value{kind: Bool, text: "false"}
}

// OfInt returns i as a document.
func OfInt(i int64) Value { return Value{kind: Number, text: strconv.FormatInt(i, 10)} }

// OfNumber returns the number with this JSON literal, whose syntax the caller guarantees. It keeps an integer as it
// is written, whatever its size. It rewrites a literal with a fraction or an exponent as encoding/json would, unless
// that changes the number, so that equal numbers are written alike.
func OfNumber(literal string) Value { return Value{kind: Number, text: plainNumber(literal)} }

// OfLiteral returns the number with this JSON literal unchanged. The caller guarantees the syntax.
func OfLiteral(literal string) Value { return Value{kind: Number, text: literal} }

// NullValue returns JSON's null.
func NullValue() Value { return Value{kind: Null} }

// ListOf returns a list of these values. It keeps the slice, which the caller must not change afterwards.
func ListOf(values ...Value) Value {
	if len(values) == 0 {
		return Value{kind: List}
	}
	return Value{kind: List, node: &node{values: values}}
}

// MapOf returns a map of these members, in any order. If a key is duplicate, its last member counts. Members whose
// value is absent are left out.
func MapOf(members ...Member) Value {
	v, _ := FromMembers(members, nil)
	return v
}

// FromMembers returns a map of these members, and appends the duplicate keys to duplicates in the order of the input.
// The last member of a duplicate key counts. Members whose value is absent are left out.
func FromMembers(members []Member, duplicates []string) (Value, []string) {
	if len(members) == 0 {
		return Value{kind: Map}, duplicates
	}
	keys := make([]string, 0, len(members))
	values := make([]Value, 0, len(members))
	sorted := true
	for _, m := range members {
		if m.Value.kind == Absent {
			continue
		}
		if n := len(keys); n > 0 && keys[n-1] >= m.Key {
			sorted = false
		}
		keys, values = append(keys, m.Key), append(values, m.Value)
	}
	if len(keys) == 0 {
		return Value{kind: Map}, duplicates
	}
	if sorted {
		return Value{kind: Map, node: &node{keys: keys, values: values}}, duplicates
	}
	order := sortedOrder(keys)
	n := &node{keys: make([]string, 0, len(keys)), values: make([]Value, 0, len(keys))}
	var again map[int]bool
	for _, i := range order {
		if last := len(n.keys) - 1; last >= 0 && n.keys[last] == keys[i] {
			if again == nil {
				again = map[int]bool{}
			}
			again[i] = true
			n.values[last] = values[i]
			continue
		}
		n.keys, n.values = append(n.keys, keys[i]), append(n.values, values[i])
	}
	for i := range keys {
		if again[i] {
			duplicates = append(duplicates, keys[i])
		}
	}
	return Value{kind: Map, node: n}, duplicates
}

// sortedOrder returns the indexes of keys in the order of the keys. Equal keys keep their order.
func sortedOrder(keys []string) []int {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	return order
}

// Kind returns the value's JSON type.
func (v Value) Kind() Kind { return v.kind }

// IsAbsent reports whether v is the zero Value.
func (v Value) IsAbsent() bool { return v.kind == Absent }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.kind == Null }

// Bool returns the value of a boolean, and false for every other kind.
func (v Value) Bool() bool { return v.kind == Bool && v.text == "true" }

// Text returns the content of a string, and "" for every other kind.
func (v Value) Text() string {
	if v.kind != String {
		return ""
	}
	return v.text
}

// Literal returns the text of a number or boolean as JSON writes it, and "" for every other kind.
func (v Value) Literal() string {
	if v.kind == Number || v.kind == Bool {
		return v.text
	}
	return ""
}

// Int returns the value of a number that is an integer in the range of int64. Literals with a fraction or an exponent
// count if their value is a whole number.
func (v Value) Int() (int64, bool) {
	if v.kind != Number {
		return 0, false
	}
	if i, err := strconv.ParseInt(v.text, 10, 64); err == nil {
		return i, true
	}
	if !strings.ContainsAny(v.text, ".eE") {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil || f != float64(int64(f)) || f >= 1<<63 || f < -(1<<63) {
		return 0, false
	}
	return int64(f), true
}

// Float returns the value of a number as the nearest float64.
func (v Value) Float() (float64, bool) {
	if v.kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil
}

// Len returns the number of elements of a list or of members of a map, and 0 for every other kind.
func (v Value) Len() int {
	if v.node == nil {
		return 0
	}
	return len(v.node.values)
}

// At returns the i-th element of a list, or the value of the i-th member of a map. Like a slice, it panics if i is
// out of range.
func (v Value) At(i int) Value { return v.node.values[i] }

// KeyAt returns the key of the i-th member of a map, in sorted order.
func (v Value) KeyAt(i int) string { return v.node.keys[i] }

// Get returns the value of a map's member. It is absent if the map has no such member or if v is not a map.
func (v Value) Get(key string) Value {
	if i, ok := v.find(key); ok {
		return v.node.values[i]
	}
	return Value{}
}

// Ref returns a reference to the i-th element of a list, or to the value of the i-th member of a map. Walks that
// would otherwise copy each value to the heap use it. The caller must not write through it.
func (v Value) Ref(i int) *Value { return &v.node.values[i] }

// Find returns the index of a map's member, for [Value.At], and whether the map has that member.
func (v Value) Find(key string) (int, bool) { return v.find(key) }

// Has reports whether a map has a member of that name, null or not.
func (v Value) Has(key string) bool {
	_, ok := v.find(key)
	return ok
}

func (v Value) find(key string) (int, bool) {
	if v.kind != Map || v.node == nil {
		return 0, false
	}
	keys := v.node.keys
	if len(keys) <= 8 { // comparing for equality is faster than comparing for order
		for i, k := range keys {
			if k == key {
				return i, true
			}
		}
	}
	return slices.BinarySearch(keys, key)
}

// Lookup follows member names from map to map. The result is absent if one of them is missing.
func (v Value) Lookup(path ...string) Value {
	for _, key := range path {
		v = v.Get(key)
	}
	return v
}

// Members yields the members of a map, sorted by key.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.kind != Map || v.node == nil {
			return
		}
		for i, k := range v.node.keys {
			if !yield(k, v.node.values[i]) {
				return
			}
		}
	}
}

// Elements yields the elements of a list.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.kind != List || v.node == nil {
			return
		}
		for i, e := range v.node.values {
			if !yield(i, e) {
				return
			}
		}
	}
}
