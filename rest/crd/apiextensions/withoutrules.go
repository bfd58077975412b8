package apiextensions

import "encoding/json"

// WithoutRules returns a copy of a schema without validation rules, for a host that does not evaluate them.
func WithoutRules(s *JSONSchemaProps) *JSONSchemaProps {
	clone := &JSONSchemaProps{}
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, clone)
	}
	if err != nil {
		return s // a schema that was decoded can be encoded and decoded again
	}
	clone.dropRules()
	return clone
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
