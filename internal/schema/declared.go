package schema

import (
	"iter"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
)

// Declared yields the members of a map in the order in which encoding/json writes them: members of a struct in the
// order of its fields, others by name. Members that the struct does not have come last.
func (s *Schema) Declared(v doc.Value) iter.Seq2[string, doc.Value] {
	if s == nil || s.Object == nil {
		return v.Members()
	}
	return func(yield func(string, doc.Value) bool) {
		for _, i := range s.Object.declared {
			name := s.Object.Properties[i].Name
			if value := v.Get(name); !value.IsAbsent() && !yield(name, value) {
				return
			}
		}
		for name, value := range v.Members() {
			if s.Object.Property(name) == nil && !yield(name, value) {
				return
			}
		}
	}
}

// inDeclaration returns the indexes of the fields, which are sorted by name, in the order of their declaration.
func inDeclaration(fields []gotype.Field) []int {
	order := make([]int, len(fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(fields[a].Index, fields[b].Index) })
	return order
}
