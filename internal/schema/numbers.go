package schema

import (
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// EndlessNumber returns the first text that a Go type would take too long to read as a number, see [codec.IsEndless].
// Call it before the document is decoded. It checks the places whose Go types read numbers from text themselves and
// declare that, like resource.Quantity of Kubernetes.
func (s *Schema) EndlessNumber(v doc.Value) (text string, found bool) {
	if !s.counts {
		return "", false
	}
	if s.readsNumbers() {
		text = v.Text() + v.Literal() // one of them is empty
		return text, codec.IsEndless(text)
	}
	switch v.Kind() {
	case doc.Map:
		b := s.beside()
		for i := range v.Len() {
			if below := b.schema(v.KeyAt(i)); below != nil && !found {
				text, found = below.EndlessNumber(v.At(i))
			}
		}
	case doc.List:
		for i := range v.Len() {
			if s.Items != nil && !found {
				text, found = s.Items.EndlessNumber(v.At(i))
			}
		}
	}
	return text, found
}

// ReadsNumbers reports whether a Go type in this place or below reads numbers from text itself.
func (s *Schema) ReadsNumbers() bool { return s.counts }

func (s *Schema) readsNumbers() bool {
	return s.goType.parsed && slices.Contains(s.OneOf, NumberType) && slices.Contains(s.OneOf, StringType)
}
