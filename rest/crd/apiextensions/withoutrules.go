package apiextensions

import "encoding/json"

// WithoutRules returns a schema, given as JSON, without validation rules, for a host that does not evaluate them.
func WithoutRules(text json.RawMessage) json.RawMessage {
	s := &JSONSchemaProps{}
	if json.Unmarshal(text, s) != nil {
		return text // a stored schema can be decoded
	}
	s.dropRules()
	return (&CustomResourceValidation{OpenAPIV3Schema: s}).Text()
}

func (s *JSONSchemaProps) dropRules() {
	if s == nil {
		return
	}
	s.XValidations = nil
	if s.Items != nil {
		s.Items.Schema.dropRules()
	}
	if s.AdditionalProperties != nil {
		s.AdditionalProperties.Schema.dropRules()
	}
	for name, below := range s.Properties {
		below.dropRules()
		s.Properties[name] = below
	}
}
