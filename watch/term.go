package watch

// Index is a way to tell objects apart: by their value of a label, or of a field.
type Index struct {
	// Label is the key of the label; empty where it is about a field.
	Label string
	// Field is the number that the owner of the log gives the field.
	Field int
}

// Term is one value of an index. A cursor on a term is given the changes of those objects only that had the value before the change or have it
// after, so it also learns of objects that lose the value. Reading and waiting then cost what these changes cost, however many others there are.
type Term struct {
	Index
	Value string
}

// topicKey is what a topic is about: a scope, and in it one value of an index. The zero term is all of the scope.
type topicKey struct {
	Scope
	Term
}

// concerns reports whether a change is one of the topic's.
func (l *Log[T]) concerns(k topicKey, c *Change[T]) bool {
	return k.Scope.Contains(c.Scope) && (k.Term == Term{} || l.has(k.Term, c.Previous) || l.has(k.Term, c.Current))
}

func (l *Log[T]) has(t Term, state *T) bool {
	value, ok := l.value(t.Index, state)
	return ok && value == t.Value
}

// value is that of one state of an object, which may be nil.
func (l *Log[T]) value(i Index, state *T) (string, bool) {
	if state == nil || l.opts.Value == nil {
		return "", false
	}
	return l.opts.Value(state, i)
}

// inUse counts the topics on one index of a resource, so that a change is asked for no other values.
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

// eachTopic calls yield for the topics that a change is one of: at most four, and at most six more for each index in use.
func (l *Log[T]) eachTopic(c *Change[T], yield func(*topic[T])) {
	if len(l.topics) == 0 {
		return
	}
	room := [3]Scope{{Resource: c.Scope.Resource}}
	scopes := room[:1]
	if c.Scope.Namespace != "" {
		scopes = append(scopes, Scope{Resource: c.Scope.Resource, Namespace: c.Scope.Namespace})
	}
	if c.Scope.Name != "" {
		scopes = append(scopes, c.Scope)
	}
	if t := l.topics[topicKey{}]; t != nil && c.Scope.Resource != "" {
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
	for _, use := range l.indexes[c.Scope.Resource] {
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
