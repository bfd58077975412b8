package cel

import (
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// container is the common interface of maps and lists.
type container interface {
	ref.Val
	traits.Container
	traits.Indexer
	traits.Iterable
	traits.Sizer
}

// lazy is a map or list that reads its content when an expression needs it: most rules read few members of large
// objects, and CEL does not charge for the conversion. It is for one evaluation.
type lazy[C container] struct {
	read func() C
	was  C
	done bool
}

func (l *lazy[C]) all() C {
	if !l.done {
		l.was, l.done = l.read(), true
	}
	return l.was
}

// ConvertToNative implements ref.Val.
func (l *lazy[C]) ConvertToNative(t reflect.Type) (any, error) { return l.all().ConvertToNative(t) }

// ConvertToType implements ref.Val.
func (l *lazy[C]) ConvertToType(t ref.Type) ref.Val { return l.all().ConvertToType(t) }

// Equal implements ref.Val.
func (l *lazy[C]) Equal(other ref.Val) ref.Val { return l.all().Equal(other) }

// Type implements ref.Val.
func (l *lazy[C]) Type() ref.Type { return l.all().Type() }

// Value implements ref.Val.
func (l *lazy[C]) Value() any { return l.all().Value() }

// Contains implements traits.Container.
func (l *lazy[C]) Contains(v ref.Val) ref.Val { return l.all().Contains(v) }

// Get implements traits.Indexer.
func (l *lazy[C]) Get(key ref.Val) ref.Val { return l.all().Get(key) }

// Iterator implements traits.Iterable.
func (l *lazy[C]) Iterator() traits.Iterator { return l.all().Iterator() }

// Size implements traits.Sizer.
func (l *lazy[C]) Size() ref.Val { return l.all().Size() }

// lazyMap is a map or a struct.
type lazyMap struct{ lazy[traits.Mapper] }

func lazyMapOf(read func() traits.Mapper) *lazyMap {
	return &lazyMap{lazy[traits.Mapper]{read: read}}
}

// Find implements traits.Mapper.
func (m *lazyMap) Find(key ref.Val) (ref.Val, bool) { return m.all().Find(key) }

// lazyStruct is a struct, whose members that are named by a word of the language have two names: see [escapedWord].
type lazyStruct struct {
	lazyMap
	schema *schema.Schema
	value  doc.Value
}

// Equal implements ref.Val. Structs are equal only if the members that expressions do not see are equal too.
func (s *lazyStruct) Equal(other ref.Val) ref.Val {
	equal := s.all().Equal(other)
	if o, ok := other.(*lazyStruct); ok && equal == types.True {
		return types.Bool(doc.Equal(hidden(s.schema, s.value), hidden(o.schema, o.value)))
	}
	return equal
}

// Find implements traits.Mapper.
func (s *lazyStruct) Find(key ref.Val) (ref.Val, bool) { return s.all().Find(memberKey(key)) }

// Get implements traits.Indexer.
func (s *lazyStruct) Get(key ref.Val) ref.Val { return s.all().Get(memberKey(key)) }

// Contains implements traits.Container.
func (s *lazyStruct) Contains(key ref.Val) ref.Val { return s.all().Contains(memberKey(key)) }

// memberKey returns the key under which a struct has a member.
func memberKey(key ref.Val) ref.Val {
	if name, ok := key.(types.String); ok && reserved(string(name)) {
		return types.String(escapedWord(string(name)))
	}
	return key
}

// lazyList is a list.
type lazyList struct{ lazy[traits.Lister] }

func lazyListOf(read func() traits.Lister) *lazyList {
	return &lazyList{lazy[traits.Lister]{read: read}}
}

// Add implements traits.Adder.
func (l *lazyList) Add(other ref.Val) ref.Val { return l.all().Add(other) }
