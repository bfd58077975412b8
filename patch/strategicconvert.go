package patch

import (
	"encoding/base64"
	"fmt"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// inconvertible is the answer to a patch whose result does not fit the types of the kind. Upstream leaves kind and name
// out, and shows the patch.
func inconvertible(p StrategicMergePatch, result doc.Value, s *schema.Schema) error {
	text := misfit(result, s)
	if text == "" {
		text = s.CheckTypes(nil, result).Error()
	}
	return status.Invalid(apimeta.GroupKind{}, "", status.FieldErrors{
		status.InvalidField(status.Field("patch"), string(p.Text(nil)), text)})
}

// misfit says of the first value that does not fit what upstream says of it when it copies a tree into a Go struct; "" if
// there is none. Structs are looked at field by field, as they are declared. A null always fits.
func misfit(v doc.Value, s *schema.Schema) string {
	if s == nil || v.IsNull() || s.Anything() {
		return ""
	}
	switch {
	case s.Object != nil && v.Kind() != doc.Map:
		return "cannot restore struct from: " + goKind(v)
	case s.Type == schema.ObjectType && v.Kind() != doc.Map:
		return "cannot restore map from " + goKind(v)
	case s.Type == schema.ArrayType && v.Kind() != doc.List:
		return "cannot restore slice from " + goKind(v)
	case s.Type == schema.ObjectType:
		for name, value := range s.Declared(v) {
			if text := misfit(value, s.Member(name)); text != "" {
				return text
			}
		}
	case s.Type == schema.ArrayType:
		for _, value := range v.Elements() {
			if text := misfit(value, s.Items); text != "" {
				return text
			}
		}
	case len(s.CheckTypes(nil, v)) > 0:
		return scalarMisfit(v, s)
	}
	return ""
}

// scalarMisfit returns "" where upstream has no words of its own.
func scalarMisfit(v doc.Value, s *schema.Schema) string {
	switch s.Format {
	case "date-time":
		if v.Kind() != doc.String {
			return "json: cannot unmarshal " + jsonName(v) + " into Go value of type string"
		}
		_, err := time.Parse(time.RFC3339, v.Text())
		return fmt.Sprint(err)
	case "byte":
		if v.Kind() != doc.String {
			return "cannot restore slice from " + goKind(v)
		}
		_, err := base64.StdEncoding.DecodeString(v.Text())
		return fmt.Sprintf("error decoding from json: %v", err)
	}
	switch {
	case s.Type == schema.StringType && v.Kind() == doc.String: // of another format
		return ""
	case s.IntOrString:
		return "json: cannot unmarshal " + jsonName(v) + " into Go value of type int32"
	case s.Type == schema.AnyType: // decodes itself
		return ""
	}
	want := s.Type
	switch want {
	case schema.BooleanType:
		want = "bool"
	case schema.IntegerType:
		want = "int64"
		if s.Format != "" {
			want = s.Format
		}
	case schema.NumberType:
		want = "float64"
	}
	if v.Kind() == doc.Number && s.Type != schema.BooleanType && (s.Type != schema.StringType || goKind(v) == "int64") {
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
	return fmt.Sprintf("%T", v.Plain())
}
