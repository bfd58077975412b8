package apiextensions

import (
	"encoding/json"

	"github.com/decorum-go/decorum/internal/codec"
)

// WithoutRules returns a schema, given as JSON, without validation rules, for a host that does not evaluate them.
func WithoutRules(text json.RawMessage) json.RawMessage {
	s := &JSONSchemaProps{}
	if codec.Unmarshal(text, s) != nil {
		return text // a stored schema can be decoded
	}
	s.change(func(s *JSONSchemaProps) { s.XValidations = nil })
	return (&CustomResourceValidation{OpenAPIV3Schema: s}).Text()
}
