package cel

import (
	"reflect"

	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// lazyMap is a map or a struct whose members are read when an expression looks at them: most rules look at few members of
// large objects, and what is read is not charged for. It is for one evaluation.
type lazyMap struct {
	read func() traits.Mapper
	was  traits.Mapper
}

func (m *lazyMap) all() traits.Mapper {
	if m.was == nil {
		m.was = m.read()
	}
	return m.was
}

// ConvertToNative implements ref.Val.
func (m *lazyMap) ConvertToNative(t reflect.Type) (any, error) { return m.all().ConvertToNative(t) }

// ConvertToType implements ref.Val.
func (m *lazyMap) ConvertToType(t ref.Type) ref.Val { return m.all().ConvertToType(t) }

// Equal implements ref.Val.
func (m *lazyMap) Equal(other ref.Val) ref.Val { return m.all().Equal(other) }

// Type implements ref.Val.
func (m *lazyMap) Type() ref.Type { return m.all().Type() }

// Value implements ref.Val.
func (m *lazyMap) Value() any { return m.all().Value() }

// Contains implements traits.Container.
func (m *lazyMap) Contains(key ref.Val) ref.Val { return m.all().Contains(key) }

// Get implements traits.Indexer.
func (m *lazyMap) Get(key ref.Val) ref.Val { return m.all().Get(key) }

// Iterator implements traits.Iterable.
func (m *lazyMap) Iterator() traits.Iterator { return m.all().Iterator() }

// Size implements traits.Sizer.
func (m *lazyMap) Size() ref.Val { return m.all().Size() }

// Find implements traits.Mapper.
func (m *lazyMap) Find(key ref.Val) (ref.Val, bool) { return m.all().Find(key) }

// lazyList is a list whose elements are read when an expression looks at them.
type lazyList struct {
	read func() traits.Lister
	was  traits.Lister
}

func (l *lazyList) all() traits.Lister {
	if l.was == nil {
		l.was = l.read()
	}
	return l.was
}

// ConvertToNative implements ref.Val.
func (l *lazyList) ConvertToNative(t reflect.Type) (any, error) { return l.all().ConvertToNative(t) }

// ConvertToType implements ref.Val.
func (l *lazyList) ConvertToType(t ref.Type) ref.Val { return l.all().ConvertToType(t) }

// Equal implements ref.Val.
func (l *lazyList) Equal(other ref.Val) ref.Val { return l.all().Equal(other) }

// Type implements ref.Val.
func (l *lazyList) Type() ref.Type { return l.all().Type() }

// Value implements ref.Val.
func (l *lazyList) Value() any { return l.all().Value() }

// Add implements traits.Adder.
func (l *lazyList) Add(other ref.Val) ref.Val { return l.all().Add(other) }

// Contains implements traits.Container.
func (l *lazyList) Contains(v ref.Val) ref.Val { return l.all().Contains(v) }

// Get implements traits.Indexer.
func (l *lazyList) Get(i ref.Val) ref.Val { return l.all().Get(i) }

// Iterator implements traits.Iterable.
func (l *lazyList) Iterator() traits.Iterator { return l.all().Iterator() }

// Size implements traits.Sizer.
func (l *lazyList) Size() ref.Val { return l.all().Size() }
