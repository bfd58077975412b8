package schema

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/words"
)

// Misfit says of the first value that does not fit the Go type what upstream says of it when it copies a tree into a struct,
// as it does with the results of strategic merge patch and apply. Structs are looked at field by field, as they are declared,
// and a null always fits. It is "" where everything fits, and where upstream has no words of its own.
func (s *Schema) Misfit(v doc.Value) string {
	if s == nil || v.IsNull() || s.Anything() {
		return ""
	}
	switch {
	case s.Object != nil && v.Kind() != doc.Map:
		return "cannot restore struct from: " + goKind(v)
	case s.Type == ObjectType && v.Kind() != doc.Map:
		return "cannot restore map from " + goKind(v)
	case s.Type == ArrayType && v.Kind() != doc.List:
		return "cannot restore slice from " + goKind(v)
	case s.Type == ObjectType:
		for name, value := range s.Declared(v) {
			if text := s.Member(name).Misfit(value); text != "" {
				return text
			}
		}
	case s.Type == ArrayType:
		for _, value := range v.Elements() {
			if text := s.Items.Misfit(value); text != "" {
				return text
			}
		}
	case len(s.CheckTypes(nil, v)) > 0:
		return s.scalarMisfit(v)
	}
	return ""
}

// scalarMisfit returns "" where upstream has no words of its own.
func (s *Schema) scalarMisfit(v doc.Value) string {
	switch s.Format {
	case "date-time":
		if v.Kind() != doc.String {
			return "json: cannot unmarshal " + v.JSONName() + " into Go value of type string"
		}
		return words.NotATime(v.Text())
	case "byte":
		if v.Kind() != doc.String {
			return "cannot restore slice from " + goKind(v)
		}
		if fault := words.NotBase64(v.Text()); fault != "" {
			return "error decoding from json: " + fault
		}
		return ""
	}
	switch {
	case s.Type == StringType && v.Kind() == doc.String: // of another format
		return ""
	case s.IntOrString:
		return "json: cannot unmarshal " + v.JSONName() + " into Go value of type int32"
	case s.Type == AnyType: // decodes itself
		return ""
	}
	want := s.Type
	switch want {
	case BooleanType:
		want = "bool"
	case IntegerType:
		want = "int64"
		if s.Format != "" {
			want = s.Format
		}
	case NumberType:
		want = "float64"
	}
	if v.Kind() == doc.Number && s.Type != BooleanType && (s.Type != StringType || goKind(v) == "int64") {
		return "cannot convert " + goKind(v) + " to " + want
	}
	return "unrecognized type: " + want
}

// goKind names the kind of the Go value that upstream decodes a value into.
func goKind(v doc.Value) string {
	switch v.Kind() {
	case doc.Map:
		return "map"
	case doc.List:
		return "slice"
	}
	return v.GoType()
}
