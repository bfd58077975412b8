package managed

import (
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// docValue adapts a document to the value interface of structured-merge-diff. A *docValue points into the document
// itself, so walking a document allocates nothing.
type docValue doc.Value

var _ value.Value = (*docValue)(nil)

func valueOf(v doc.Value) value.Value { return (*docValue)(&v) }

func (v *docValue) doc() doc.Value { return doc.Value(*v) }

func (v *docValue) IsMap() bool    { return v.doc().Kind() == doc.Map }
func (v *docValue) IsList() bool   { return v.doc().Kind() == doc.List }
func (v *docValue) IsBool() bool   { return v.doc().Kind() == doc.Bool }
func (v *docValue) IsString() bool { return v.doc().Kind() == doc.String }
func (v *docValue) IsNull() bool   { return v.doc().Kind() == doc.Null }

func (v *docValue) IsInt() bool {
	_, ok := v.doc().Int()
	return ok
}

func (v *docValue) IsFloat() bool { return v.doc().Kind() == doc.Number && !v.IsInt() }

func (v *docValue) AsMap() value.Map                       { return (*docMap)(v) }
func (v *docValue) AsMapUsing(value.Allocator) value.Map   { return (*docMap)(v) }
func (v *docValue) AsList() value.List                     { return (*docList)(v) }
func (v *docValue) AsListUsing(value.Allocator) value.List { return (*docList)(v) }
func (v *docValue) AsBool() bool                           { return v.doc().Bool() }
func (v *docValue) AsString() string                       { return v.doc().Text() }
func (v *docValue) Unstructured() any                      { return v.doc().Plain() }

func (v *docValue) AsInt() int64 {
	i, _ := v.doc().Int()
	return i
}

func (v *docValue) AsFloat() float64 {
	f, _ := v.doc().Float()
	return f
}

// String prints the value as errors show upstream's own values.
func (v *docValue) String() string { return fmt.Sprintf("&{%v}", v.Unstructured()) }

// GoString shows the value in errors, like String.
func (v *docValue) GoString() string {
	return fmt.Sprintf("&value.valueUnstructured{Value:%#v}", v.Unstructured())
}

// docMap adapts a map or struct to the map interface of structured-merge-diff.
type docMap doc.Value

var _ value.Map = (*docMap)(nil)

func (m *docMap) doc() doc.Value { return doc.Value(*m) }

func (m *docMap) at(i int) value.Value { return (*docValue)(m.doc().Ref(i)) }

// Set does nothing: documents are immutable, and structured-merge-diff sets members only in values that it has created
// itself.
func (m *docMap) Set(string, value.Value) {}

// Delete does nothing, like Set.
func (m *docMap) Delete(string) {}

func (m *docMap) Get(key string) (value.Value, bool) {
	i, ok := m.doc().Find(key)
	if !ok {
		return nil, false
	}
	return m.at(i), true
}

func (m *docMap) GetUsing(_ value.Allocator, key string) (value.Value, bool) { return m.Get(key) }

func (m *docMap) Has(key string) bool { return m.doc().Has(key) }
func (m *docMap) Length() int         { return m.doc().Len() }
func (m *docMap) Empty() bool         { return m.doc().Len() == 0 }

func (m *docMap) Equals(other value.Map) bool { return m.EqualsUsing(value.HeapAllocator, other) }

func (m *docMap) EqualsUsing(a value.Allocator, other value.Map) bool {
	if o, ok := other.(*docMap); ok {
		return doc.Equal(m.doc(), o.doc())
	}
	return value.MapEqualsUsing(a, m, other)
}

func (m *docMap) Iterate(f func(string, value.Value) bool) bool {
	for i := range m.doc().Len() {
		if !f(m.doc().KeyAt(i), m.at(i)) {
			return false
		}
	}
	return true
}

func (m *docMap) IterateUsing(_ value.Allocator, f func(string, value.Value) bool) bool {
	return m.Iterate(f)
}

func (m *docMap) Zip(other value.Map, order value.MapTraverseOrder,
	f func(string, value.Value, value.Value) bool) bool {
	return m.ZipUsing(value.HeapAllocator, other, order, f)
}

// ZipUsing always iterates in the order of the keys, which is that of documents.
func (m *docMap) ZipUsing(a value.Allocator, other value.Map, _ value.MapTraverseOrder,
	f func(string, value.Value, value.Value) bool) bool {
	switch o := other.(type) {
	case nil:
		return m.Iterate(func(key string, v value.Value) bool { return f(key, v, nil) })
	case *docMap:
		return m.zip(o, f)
	}
	keys := make([]string, 0, max(m.Length(), other.Length()))
	for key := range m.doc().Members() {
		keys = append(keys, key)
	}
	other.IterateUsing(a, func(key string, _ value.Value) bool {
		if !m.Has(key) {
			keys = append(keys, key)
		}
		return true
	})
	slices.Sort(keys)
	for _, key := range keys {
		var left, right value.Value
		if i, ok := m.doc().Find(key); ok {
			left = m.at(i)
		}
		if v, ok := other.GetUsing(a, key); ok {
			right = v
		}
		more := f(key, left, right)
		if right != nil {
			a.Free(right)
		}
		if !more {
			return false
		}
	}
	return true
}

func (m *docMap) zip(other *docMap, f func(string, value.Value, value.Value) bool) bool {
	l, r := m.doc(), other.doc()
	for i, j := 0, 0; i < l.Len() || j < r.Len(); {
		var key string
		var left, right value.Value
		switch {
		case j == r.Len() || i < l.Len() && l.KeyAt(i) < r.KeyAt(j):
			key, left = l.KeyAt(i), m.at(i)
			i++
		case i == l.Len() || l.KeyAt(i) > r.KeyAt(j):
			key, right = r.KeyAt(j), other.at(j)
			j++
		default:
			key, left, right = l.KeyAt(i), m.at(i), other.at(j)
			i, j = i+1, j+1
		}
		if !f(key, left, right) {
			return false
		}
	}
	return true
}

// docList adapts a list to the list interface of structured-merge-diff.
type docList doc.Value

var _ value.List = (*docList)(nil)

func (l *docList) doc() doc.Value { return doc.Value(*l) }

func (l *docList) Length() int                                  { return l.doc().Len() }
func (l *docList) At(i int) value.Value                         { return (*docValue)(l.doc().Ref(i)) }
func (l *docList) AtUsing(_ value.Allocator, i int) value.Value { return l.At(i) }
func (l *docList) Range() value.ListRange                       { return &listRange{list: l, i: -1} }
func (l *docList) RangeUsing(value.Allocator) value.ListRange   { return l.Range() }
func (l *docList) Equals(other value.List) bool {
	return l.EqualsUsing(value.HeapAllocator, other)
}

func (l *docList) EqualsUsing(a value.Allocator, other value.List) bool {
	if o, ok := other.(*docList); ok {
		return doc.Equal(l.doc(), o.doc())
	}
	return value.ListEqualsUsing(a, l, other)
}

// listRange is an iteration over a list.
type listRange struct {
	list *docList
	i    int
}

func (r *listRange) Next() bool {
	r.i++
	return r.i < r.list.Length()
}

func (r *listRange) Item() (int, value.Value) { return r.i, r.list.At(r.i) }
