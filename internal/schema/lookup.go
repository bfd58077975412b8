package schema

import "github.com/decorum-go/decorum/internal/doc"

// sideBySide finds the schemas of a map's members in one pass over the properties. The caller must ask for the members
// in the order of the document, which is also the order of the properties.
type sideBySide struct {
	properties []Property
	additional *Schema
	next       int
}

func (s *Schema) beside() sideBySide {
	b := sideBySide{additional: s.Additional}
	if s.Object != nil {
		b.properties = s.Object.Properties
	}
	return b
}

// property returns the property of that name, or nil.
func (b *sideBySide) property(name string) *Property {
	for ; b.next < len(b.properties); b.next++ {
		switch p := &b.properties[b.next]; {
		case p.Name == name:
			return p
		case p.Name > name:
			return nil
		}
	}
	return nil
}

// schema returns the schema of the member of that name, or nil.
func (b *sideBySide) schema(name string) *Schema {
	if p := b.property(name); p != nil {
		return p.Schema
	}
	return b.additional
}

// dropsNull reports whether the value is a null that counts as absent in this place.
func (s *Schema) dropsNull(v doc.Value) bool { return s != nil && v.IsNull() && !s.Nullable }
