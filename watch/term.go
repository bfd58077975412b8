package watch

import (
	"cmp"
	"strings"
)

// Index groups objects by their value of one label or of one field.
type Index struct {
	// Label is the key of the label. It is empty for an index on a field.
	Label string
	// Field is the number that the owner of the log assigns to the field.
	Field int
	// Numeric says that the values are integers in decimal notation, and orders them as numbers.
	Numeric bool
}

// Compare compares two values in the order of the index: as integers if the index is numeric, otherwise byte by byte. A
// numeric index orders texts that are no integers byte by byte, after all integers. Different texts are never equal,
// not even "0" and "-0".
func (i Index) Compare(a, b string) int {
	if !i.Numeric || a == b {
		return strings.Compare(a, b)
	}
	x, okX := integerOf(a)
	y, okY := integerOf(b)
	switch {
	case okX && okY:
		return cmp.Or(x.compare(y), strings.Compare(a, b))
	case okX:
		return -1
	case okY:
		return 1
	}
	return strings.Compare(a, b)
}

// integer is an integer of any size: its sign, which is 0 for zero, and its digits without leading zeros.
type integer struct {
	sign   int
	digits string
}

// integerOf reads an integer in decimal notation.
func integerOf(text string) (integer, bool) {
	digits, negative := strings.CutPrefix(text, "-")
	if digits == "" {
		return integer{}, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return integer{}, false
		}
	}
	digits = strings.TrimLeft(digits, "0")
	switch {
	case digits == "":
		return integer{}, true
	case negative:
		return integer{-1, digits}, true
	}
	return integer{1, digits}, true
}

func (x integer) compare(y integer) int {
	if x.sign != y.sign || x.sign == 0 {
		return cmp.Compare(x.sign, y.sign)
	}
	return x.sign * cmp.Or(cmp.Compare(len(x.digits), len(y.digits)), strings.Compare(x.digits, y.digits))
}

// Term is one value of an index. A cursor on a term reads only the changes of objects that have the value before or
// after the change, so it also learns of objects that lose the value. The cost of reading and waiting depends on these
// changes only, not on how many others the log holds.
type Term struct {
	Index
	Value string
}

// topicKey identifies a topic: a key, and one value of an index within it. The zero term represents everything within
// the key.
type topicKey struct {
	Key
	Term
}

// concerns reports whether a change belongs to a topic.
func (l *Log[T]) concerns(k topicKey, c *Change[T]) bool {
	return k.Key.Contains(c.Key) && (k.Term == Term{} || l.has(k.Term, c.Previous) || l.has(k.Term, c.Current))
}

func (l *Log[T]) has(t Term, state *T) bool {
	value, ok := l.value(t.Index, state)
	return ok && value == t.Value
}

// value returns the value of one state of an object in an index. The state may be nil.
func (l *Log[T]) value(i Index, state *T) (string, bool) {
	if state == nil || l.opts.Value == nil {
		return "", false
	}
	return l.opts.Value(state, i)
}

// inUse counts the topics on one index of a resource, so that Append evaluates only the indexes that topics use.
type inUse struct {
	Index
	topics int
}

func (l *Log[T]) addTopic(k topicKey) *topic[T] {
	t := &topic[T]{topicKey: k}
	l.topics[k] = t
	if k.Term == (Term{}) {
		return t
	}
	uses := l.indexes[k.Resource]
	for i := range uses {
		if uses[i].Index == k.Index {
			uses[i].topics++
			return t
		}
	}
	l.indexes[k.Resource] = append(uses, inUse{k.Index, 1})
	return t
}

func (l *Log[T]) removeTopic(k topicKey) {
	delete(l.topics, k)
	uses := l.indexes[k.Resource]
	for i := range uses {
		if k.Term == (Term{}) || uses[i].Index != k.Index {
			continue
		}
		if uses[i].topics--; uses[i].topics == 0 {
			uses[i] = uses[len(uses)-1]
			uses = uses[:len(uses)-1]
		}
		break
	}
	if l.indexes[k.Resource] = uses; len(uses) == 0 {
		delete(l.indexes, k.Resource)
	}
}

// eachTopic calls yield for the topics to which a change belongs: at most four, and at most six more for each index in
// use.
func (l *Log[T]) eachTopic(c *Change[T], yield func(*topic[T])) {
	if len(l.topics) == 0 {
		return
	}
	room := [3]Key{c.Key.resource()}
	scopes := room[:1]
	if c.Key.Namespace != "" {
		scopes = append(scopes, Key{Space: c.Key.Space, Resource: c.Key.Resource, Namespace: c.Key.Namespace})
	}
	if c.Key.Name != "" {
		scopes = append(scopes, c.Key)
	}
	if t := l.topics[topicKey{Key: c.Key.whole()}]; t != nil && c.Key.Resource != "" {
		yield(t)
	}
	each := func(t Term) {
		for _, s := range scopes {
			if t := l.topics[topicKey{s, t}]; t != nil {
				yield(t)
			}
		}
	}
	each(Term{})
	for _, use := range l.indexes[c.Key.Resource] {
		was, had := l.value(use.Index, c.Previous)
		is, has := l.value(use.Index, c.Current)
		if had {
			each(Term{use.Index, was})
		}
		if has && !(had && was == is) {
			each(Term{use.Index, is})
		}
	}
}
