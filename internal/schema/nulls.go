package schema

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// CheckNulls refuses what [Schema.Default] would drop without putting a default in its place, as an apply does: a null
// there is a value that its owner asks for, and not one that is left out. At most a hundred errors are returned.
func (s *Schema) CheckNulls(path *status.Path, v doc.Value) status.FieldErrors {
	c := checker{findings{root: path}}
	c.nulls(s, v, &trail{})
	return c.errs
}

func (c *checker) nulls(s *Schema, v doc.Value, at *trail) {
	switch v.Kind() {
	case doc.Map:
		if s.Object == nil && s.Additional == nil {
			return
		}
		step := trail{up: at, index: member}
		b := s.beside()
		for i := range v.Len() {
			child := v.At(i)
			step.key = v.KeyAt(i)
			switch below := b.schema(step.key); {
			case below == nil:
			case !below.dropsNull(child):
				c.nulls(below, child, &step)
			case below.filled.IsAbsent():
				c.wrongType(below, child, &step)
				c.enumerated(below, child, &step)
			}
		}
	case doc.List:
		if s.Items == nil {
			return
		}
		step := trail{up: at}
		for i := range v.Len() {
			step.index = i
			c.nulls(s.Items, v.At(i), &step) // a null element is refused in every write
		}
	}
}
