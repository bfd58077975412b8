package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/decorum-go/decorum/internal/schema"
)

// setList is a list that is a set: its order does not count, and adding to it adds what it does not have.
type setList struct{ traits.Lister }

// Equal implements ref.Val.
func (s *setList) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if s.Size().Equal(o.Size()) != types.True {
		return types.False
	}
	for it := s.Iterator(); it.HasNext() == types.True; {
		if o.Contains(it.Next()) != types.True {
			return types.False
		}
	}
	return types.True
}

// Add implements traits.Adder.
func (s *setList) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	elements := elementsOf(s)
	for it := o.Iterator(); it.HasNext() == types.True; {
		if e := it.Next(); s.Contains(e) != types.True {
			elements = append(elements, e)
		}
	}
	return &setList{types.NewRefValList(types.DefaultTypeAdapter, elements)}
}

// keyedList is a list whose elements are told apart by keys: its order does not count, and adding to it replaces the
// elements that it has.
type keyedList struct {
	traits.Lister
	keys []ref.Val
}

func escapedKeys(s *schema.Schema) []ref.Val {
	var keys []ref.Val
	for _, key := range s.ListMapKeys {
		if name, ok := escape(key); ok {
			keys = append(keys, types.String(name))
		}
	}
	return keys
}

// find returns the index of the element with the same keys, or -1.
func (k *keyedList) find(elements []ref.Val, like ref.Val) int {
	for i, e := range elements {
		if k.sameKeys(e, like) {
			return i
		}
	}
	return -1
}

func (k *keyedList) sameKeys(a, b ref.Val) bool {
	am, aok := a.(traits.Mapper)
	bm, bok := b.(traits.Mapper)
	if !aok || !bok {
		return false
	}
	for _, key := range k.keys {
		x, inA := am.Find(key)
		y, inB := bm.Find(key)
		if inA != inB || inA && x.Equal(y) != types.True {
			return false
		}
	}
	return true
}

// Equal implements ref.Val.
func (k *keyedList) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if k.Size().Equal(o.Size()) != types.True {
		return types.False
	}
	theirs := elementsOf(o)
	for _, e := range elementsOf(k) {
		i := k.find(theirs, e)
		if i < 0 || e.Equal(theirs[i]) != types.True {
			return types.False
		}
	}
	return types.True
}

// Add implements traits.Adder.
func (k *keyedList) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	elements := elementsOf(k)
	for it := o.Iterator(); it.HasNext() == types.True; {
		e := it.Next()
		if i := k.find(elements, e); i >= 0 {
			elements[i] = e
		} else {
			elements = append(elements, e)
		}
	}
	return &keyedList{types.NewRefValList(types.DefaultTypeAdapter, elements), k.keys}
}

func elementsOf(l traits.Lister) []ref.Val {
	var elements []ref.Val
	for it := l.Iterator(); it.HasNext() == types.True; {
		elements = append(elements, it.Next())
	}
	return elements
}
