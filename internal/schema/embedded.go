package schema

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// RewriteEmbedded returns a value in which rewrite has replaced each embedded resource that is an object. rewrite gets
// the position of the resource. at is the position of the value, nil for a whole object.
func (s *Schema) RewriteEmbedded(at *status.Path, v doc.Value,
	rewrite func(at *status.Path, obj doc.Value) doc.Value) doc.Value {
	if !s.embeds {
		return v
	}
	switch v.Kind() {
	case doc.Map:
		if s.IsEmbedded() {
			v = rewrite(at, v)
		}
		b := s.beside()
		return v.Rewrite(func(_ int, key string, member doc.Value) doc.Value {
			if p := b.property(key); p != nil {
				return p.Schema.RewriteEmbedded(at.Child(key), member, rewrite)
			} else if s.Additional != nil {
				return s.Additional.RewriteEmbedded(at.Key(key), member, rewrite)
			}
			return member
		})
	case doc.List:
		if s.Items == nil {
			return v
		}
		return v.Rewrite(func(i int, _ string, element doc.Value) doc.Value {
			return s.Items.RewriteEmbedded(at.Index(i), element, rewrite)
		})
	}
	return v
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
