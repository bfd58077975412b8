package apiextensions

import (
	"encoding/json"

	"github.com/decorum-go/decorum/internal/codec"
)

// WithoutRules returns a schema, given as JSON, without validation rules. A host that serves the kinds of definitions
// itself, without package crd and without CEL, needs it: [rest.New] refuses a schema with rules.
func WithoutRules(text json.RawMessage) json.RawMessage {
	s := &JSONSchemaProps{}
	if codec.Unmarshal(text, s) != nil {
		return text // a stored schema can be decoded
	}
	s.change(func(s *JSONSchemaProps) { s.XValidations = nil })
	return (&CustomResourceValidation{OpenAPIV3Schema: s}).Text()
}
