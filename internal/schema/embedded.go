package schema

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Embedded calls visit for each embedded resource below a value that is an object, with its position. at is the position of the value, nil
// for a whole object.
func (s *Schema) Embedded(at *status.Path, v doc.Value, visit func(at *status.Path, obj doc.Value)) {
	if !s.embeds {
		return
	}
	switch v.Kind() {
	case doc.Map:
		if s.IsEmbedded() {
			visit(at, v)
		}
		b := s.beside()
		for i := range v.Len() {
			key := v.KeyAt(i)
			if p := b.property(key); p != nil && p.Schema.embeds {
				p.Schema.Embedded(at.Child(key), v.At(i), visit)
			} else if p == nil && s.Additional != nil && s.Additional.embeds {
				s.Additional.Embedded(at.Key(key), v.At(i), visit)
			}
		}
	case doc.List:
		for i := range v.Len() {
			if s.Items != nil {
				s.Items.Embedded(at.Index(i), v.At(i), visit)
			}
		}
	}
}

// Embeds reports whether there is an embedded resource at this place or below it.
func (s *Schema) Embeds() bool { return s.embeds }

// marksEmbedded reports whether the schema or one below it is that of an embedded resource. Those below must be marked.
func (s *Schema) marksEmbedded() bool {
	if s.IsEmbedded() || s.Items != nil && s.Items.embeds || s.Additional != nil && s.Additional.embeds {
		return true
	}
	for i := range s.properties() {
		if s.Object.Properties[i].Schema.embeds {
			return true
		}
	}
	return false
}

func (s *Schema) properties() []Property {
	if s.Object == nil {
		return nil
	}
	return s.Object.Properties
}
