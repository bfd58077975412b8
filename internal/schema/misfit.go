package schema

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/words"
)

// Misfit returns kube-apiserver's message about the first value that does not fit the Go type. kube-apiserver uses it
// when it copies a tree into a struct, as for the results of strategic merge patch and apply. Misfit checks the fields
// of a struct in the order of their declaration; null always fits. It returns "" if everything fits, or if
// kube-apiserver has no message of its own for the misfit.
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

// scalarMisfit is Misfit for a scalar. It returns "" if kube-apiserver has no message of its own.
func (s *Schema) scalarMisfit(v doc.Value) string {
	switch s.Format {
	case "date-time":
		if v.Kind() != doc.String {
			return words.NotOfType(v.JSONName(), "string")
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
	case s.Type == StringType && v.Kind() == doc.String: // the format differs
		return ""
	case s.IntOrString:
		return words.NotOfType(v.JSONName(), "int32")
	case s.Type == AnyType: // the type decodes itself
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

// goKind returns the kind of the Go value into which kube-apiserver decodes a value.
func goKind(v doc.Value) string {
	switch v.Kind() {
	case doc.Map:
		return "map"
	case doc.List:
		return "slice"
	}
	return v.GoType()
}
