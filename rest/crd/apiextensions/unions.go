package apiextensions

import (
	"bytes"
	"encoding/json"
	"errors"
)

// JSON is any JSON value. Raw is empty for null.
type JSON struct {
	Raw []byte `protobuf:"bytes,1,opt,name=raw"`
}

// MarshalJSON implements [json.Marshaler].
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j.Raw) == 0 {
		return []byte("null"), nil
	}
	return j.Raw, nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (j *JSON) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	j.Raw = bytes.Clone(data)
	return nil
}

// JSONSchemaPropsOrBool is a schema or a boolean. With a Schema, Allows is true.
type JSONSchemaPropsOrBool struct {
	Allows bool             `protobuf:"varint,1,opt,name=allows"`
	Schema *JSONSchemaProps `protobuf:"bytes,2,opt,name=schema"`
}

// MarshalJSON implements [json.Marshaler].
func (s JSONSchemaPropsOrBool) MarshalJSON() ([]byte, error) {
	if s.Schema != nil {
		return json.Marshal(s.Schema)
	}
	return json.Marshal(s.Allows)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *JSONSchemaPropsOrBool) UnmarshalJSON(data []byte) error {
	*s = JSONSchemaPropsOrBool{}
	switch text := string(data); {
	case text == "true":
		s.Allows = true
	case text == "false":
	case len(data) > 0 && data[0] == '{':
		s.Allows = true
		return json.Unmarshal(data, &s.Schema)
	default:
		return errors.New("boolean or JSON schema expected")
	}
	return nil
}

// JSONSchemaPropsOrArray is one schema for all items of a list, or a list of schemas, which no structural schema may have.
type JSONSchemaPropsOrArray struct {
	Schema      *JSONSchemaProps  `protobuf:"bytes,1,opt,name=schema"`
	JSONSchemas []JSONSchemaProps `protobuf:"bytes,2,rep,name=jSONSchemas"`
}

// MarshalJSON implements [json.Marshaler].
func (s JSONSchemaPropsOrArray) MarshalJSON() ([]byte, error) {
	if len(s.JSONSchemas) > 0 {
		return json.Marshal(s.JSONSchemas)
	}
	return json.Marshal(s.Schema)
}

// UnmarshalJSON implements [json.Unmarshaler]. A value that is neither an object nor a list leaves s empty, as in kube-apiserver.
func (s *JSONSchemaPropsOrArray) UnmarshalJSON(data []byte) error {
	*s = JSONSchemaPropsOrArray{}
	return unmarshalEither(data, &s.Schema, &s.JSONSchemas)
}

// JSONSchemaPropsOrStringArray is a schema or a list of members, which no structural schema may have.
type JSONSchemaPropsOrStringArray struct {
	Schema   *JSONSchemaProps `protobuf:"bytes,1,opt,name=schema"`
	Property []string         `protobuf:"bytes,2,rep,name=property"`
}

// MarshalJSON implements [json.Marshaler].
func (s JSONSchemaPropsOrStringArray) MarshalJSON() ([]byte, error) {
	if len(s.Property) > 0 {
		return json.Marshal(s.Property)
	}
	return json.Marshal(s.Schema)
}

// UnmarshalJSON implements [json.Unmarshaler]. A value that is neither an object nor a list leaves s empty, as in kube-apiserver.
func (s *JSONSchemaPropsOrStringArray) UnmarshalJSON(data []byte) error {
	*s = JSONSchemaPropsOrStringArray{}
	return unmarshalEither(data, &s.Schema, &s.Property)
}

// unmarshalEither decodes an object or a list. It ignores other values.
func unmarshalEither(data []byte, object, list any) error {
	if len(data) < 2 {
		return nil
	}
	switch data[0] {
	case '{':
		return json.Unmarshal(data, object)
	case '[':
		return json.Unmarshal(data, list)
	}
	return nil
}
