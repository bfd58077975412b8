package cel

import (
	"strconv"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/decorum-go/decorum/internal/schema"
)

// associativeList is a set, or a list whose elements are identified by keys. Its order does not matter. Adding a list
// appends the new elements, and replaces the elements with the same keys.
type associativeList struct {
	traits.Lister
	keys []ref.Val // the keys of the elements; nil for a set
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

// Equal implements ref.Val.
func (l *associativeList) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size().Equal(o.Size()) != types.True {
		return types.False
	}
	theirs := l.placesOf(elementsOf(o))
	found := make([]bool, len(theirs.elements))
	for _, e := range elementsOf(l) {
		i := theirs.find(e)
		if i < 0 || e.Equal(theirs.elements[i]) != types.True {
			return types.False
		}
		found[i] = true
	}
	for i, e := range theirs.elements { // a stored list may have duplicates, so equal sizes are not enough
		if !found[i] && !found[theirs.find(e)] {
			return types.False
		}
	}
	return types.True
}

// Add implements traits.Adder.
func (l *associativeList) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	sum := l.placesOf(elementsOf(l))
	for it := o.Iterator(); it.HasNext() == types.True; {
		e := it.Next()
		switch i := sum.find(e); {
		case i < 0:
			sum.add(e)
		case l.keys != nil:
			sum.elements[i] = e
		}
	}
	return &associativeList{types.NewRefValList(types.DefaultTypeAdapter, sum.elements), l.keys}
}

// places finds elements of an associative list without scanning it.
type places struct {
	elements []ref.Val
	keys     []ref.Val
	by       map[string][]int
}

func (l *associativeList) placesOf(elements []ref.Val) *places {
	p := &places{keys: l.keys, by: make(map[string][]int, len(elements))}
	for _, e := range elements {
		p.add(e)
	}
	return p
}

func (p *places) add(e ref.Val) {
	hash := p.hash(e)
	p.by[hash] = append(p.by[hash], len(p.elements))
	p.elements = append(p.elements, e)
}

// find returns the index of the first element that is equal or has the same keys, or -1.
func (p *places) find(like ref.Val) int {
	for _, i := range p.by[p.hash(like)] {
		if p.same(p.elements[i], like) {
			return i
		}
	}
	return -1
}

func (p *places) same(a, b ref.Val) bool {
	if p.keys == nil {
		return a.Equal(b) == types.True
	}
	am, aok := a.(traits.Mapper)
	bm, bok := b.(traits.Mapper)
	if !aok || !bok {
		return false
	}
	for _, key := range p.keys {
		x, inA := am.Find(key)
		y, inB := bm.Find(key)
		if inA != inB || inA && x.Equal(y) != types.True {
			return false
		}
	}
	return true
}

// hash returns the same text for equal elements.
func (p *places) hash(e ref.Val) string {
	if p.keys == nil {
		return string(appendHash(nil, e))
	}
	var hash []byte
	if m, ok := e.(traits.Mapper); ok {
		for _, key := range p.keys {
			if v, ok := m.Find(key); ok {
				hash = appendHash(hash, v)
			}
			hash = append(hash, ',')
		}
	}
	return string(hash)
}

// appendHash distinguishes texts, booleans and numbers. Equal numbers of different types have the same hash.
func appendHash(hash []byte, v ref.Val) []byte {
	switch v := v.(type) {
	case types.String:
		return append(hash, v...)
	case types.Bool:
		return strconv.AppendBool(hash, bool(v))
	case types.Int:
		return strconv.AppendFloat(hash, float64(v), 'g', -1, 64)
	case types.Uint:
		return strconv.AppendFloat(hash, float64(v), 'g', -1, 64)
	case types.Double:
		return strconv.AppendFloat(hash, float64(v), 'g', -1, 64)
	}
	return hash
}

func elementsOf(l traits.Lister) []ref.Val {
	var elements []ref.Val
	for it := l.Iterator(); it.HasNext() == types.True; {
		elements = append(elements, it.Next())
	}
	return elements
}
