package apiextensions

import (
	"encoding/json"

	"github.com/decorum-go/decorum/internal/codec"
)

// ReadStored reads a stored definition, and of its schemas only the text. A schema takes ten times as much memory as
// its text, and most kinds of a program are idle. The caller must not write the definition.
func ReadStored(data []byte) (*CustomResourceDefinition, error) {
	d := &CustomResourceDefinition{}
	return d, codec.UnmarshalLeaving(data, d, func(text []byte, v *CustomResourceValidation) error {
		var schema struct {
			Text json.RawMessage `json:"openAPIV3Schema"`
		}
		err := codec.Unmarshal(text, &schema)
		if string(schema.Text) != "null" {
			v.text = schema.Text
		}
		return err
	})
}

// Text returns the schema as JSON, or nil if the version has no schema. The caller must not change the result.
func (v *CustomResourceValidation) Text() json.RawMessage {
	if v == nil || v.OpenAPIV3Schema == nil && v.text == nil {
		return nil
	}
	if v.OpenAPIV3Schema == nil {
		return v.text
	}
	text, err := codec.Marshal(v.OpenAPIV3Schema)
	if err != nil {
		return nil // a schema that was decoded can be encoded
	}
	return text
}
