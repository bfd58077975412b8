package codec

import "github.com/decorum-go/decorum/internal/doc"

// chosen returns the value that represents a union: its list or, without one, its map, its text or its boolean. If all
// are absent, the value is false for a union with a boolean field, and null otherwise.
func (m *Message) chosen(v doc.Value) doc.Value {
	found := doc.NullValue()
	for _, f := range m.fields {
		value := v.Get(f.Name)
		switch {
		case f.Repeated && !value.IsAbsent():
			return value
		case f.Type == BoolType && found.IsNull():
			found = doc.OfBool(value.Bool())
		case (f.Type == MessageType || f.Type == StringType) && !value.IsAbsent():
			found = value
		}
	}
	return found
}

// wrapped returns the fields of a union for the value that represents it. A map also sets the boolean.
func (m *Message) wrapped(v doc.Value) doc.Value {
	var members []doc.Member
	for _, f := range m.fields {
		switch {
		case f.Type == StringType && !f.Repeated && v.Kind() == doc.String, f.Repeated && v.Kind() == doc.List,
			f.Type == MessageType && !f.Repeated && v.Kind() == doc.Map, f.Type == BoolType && v.Kind() == doc.Bool:
			members = append(members, doc.Member{Key: f.Name, Value: v})
		case f.Type == BoolType && v.Kind() == doc.Map:
			members = append(members, doc.Member{Key: f.Name, Value: doc.OfBool(true)})
		}
	}
	return doc.MapOf(members...)
}
