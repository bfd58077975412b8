package apiextensions

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/decorum-go/decorum/internal/codec"
)

// The unions encode and decode themselves in place, by the methods of encoding/json/v2. With those of encoding/json
// alone, a schema would be read and written again at each level of its nesting. JSONForms returns the types that a
// union stands for, so that the API need not decode a schema to find out that Go would write it the same way.

// JSON is any JSON value. Raw is empty for null.
type JSON struct {
	Raw []byte `protobuf:"bytes,1,opt,name=raw"`
}

// MarshalJSON implements [encoding/json.Marshaler].
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j.Raw) == 0 {
		return []byte("null"), nil
	}
	return j.Raw, nil
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (j *JSON) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	j.Raw = bytes.Clone(data)
	return nil
}

// JSONForms returns the type that encodes like a JSON.
func (JSON) JSONForms() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[stdjson.RawMessage]()}
}

// JSONSchemaPropsOrBool is a schema or a boolean. With a Schema, Allows is true.
type JSONSchemaPropsOrBool struct {
	Allows bool             `protobuf:"varint,1,opt,name=allows"`
	Schema *JSONSchemaProps `protobuf:"bytes,2,opt,name=schema"`
}

// MarshalJSON implements [encoding/json.Marshaler].
func (s JSONSchemaPropsOrBool) MarshalJSON() ([]byte, error) { return codec.Marshal(s) }

// MarshalJSONTo implements [github.com/go-json-experiment/json.MarshalerTo].
func (s JSONSchemaPropsOrBool) MarshalJSONTo(e *jsontext.Encoder) error {
	if s.Schema != nil {
		return json.MarshalEncode(e, s.Schema)
	}
	return e.WriteToken(jsontext.Bool(s.Allows))
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (s *JSONSchemaPropsOrBool) UnmarshalJSON(data []byte) error { return codec.Unmarshal(data, s) }

// UnmarshalJSONFrom implements [github.com/go-json-experiment/json.UnmarshalerFrom].
func (s *JSONSchemaPropsOrBool) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*s = JSONSchemaPropsOrBool{}
	switch d.PeekKind() {
	case '{':
		s.Allows = true
		return json.UnmarshalDecode(d, &s.Schema)
	case 't', 'f':
		return json.UnmarshalDecode(d, &s.Allows)
	}
	return errors.New("boolean or JSON schema expected")
}

// JSONForms returns the types that a JSONSchemaPropsOrBool can encode: a schema and a boolean.
func (JSONSchemaPropsOrBool) JSONForms() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[JSONSchemaProps](), reflect.TypeFor[bool]()}
}

// JSONSchemaPropsOrArray is one schema for all items of a list, or a list of schemas, which no structural schema may
// have.
type JSONSchemaPropsOrArray struct {
	Schema      *JSONSchemaProps  `protobuf:"bytes,1,opt,name=schema"`
	JSONSchemas []JSONSchemaProps `protobuf:"bytes,2,rep,name=jSONSchemas"`
}

// MarshalJSON implements [encoding/json.Marshaler].
func (s JSONSchemaPropsOrArray) MarshalJSON() ([]byte, error) { return codec.Marshal(s) }

// MarshalJSONTo implements [github.com/go-json-experiment/json.MarshalerTo].
func (s JSONSchemaPropsOrArray) MarshalJSONTo(e *jsontext.Encoder) error {
	if len(s.JSONSchemas) > 0 {
		return json.MarshalEncode(e, s.JSONSchemas)
	}
	return json.MarshalEncode(e, s.Schema)
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (s *JSONSchemaPropsOrArray) UnmarshalJSON(data []byte) error { return codec.Unmarshal(data, s) }

// UnmarshalJSONFrom implements [github.com/go-json-experiment/json.UnmarshalerFrom]. A value that is neither an object
// nor a list leaves s empty, as in kube-apiserver.
func (s *JSONSchemaPropsOrArray) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*s = JSONSchemaPropsOrArray{}
	return unmarshalEither(d, &s.Schema, &s.JSONSchemas)
}

// JSONForms returns the types that a JSONSchemaPropsOrArray can encode: a schema and a list of schemas.
func (JSONSchemaPropsOrArray) JSONForms() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[JSONSchemaProps](), reflect.TypeFor[[]JSONSchemaProps]()}
}

// JSONSchemaPropsOrStringArray is a schema or a list of members, which no structural schema may have.
type JSONSchemaPropsOrStringArray struct {
	Schema   *JSONSchemaProps `protobuf:"bytes,1,opt,name=schema"`
	Property []string         `protobuf:"bytes,2,rep,name=property"`
}

// MarshalJSON implements [encoding/json.Marshaler].
func (s JSONSchemaPropsOrStringArray) MarshalJSON() ([]byte, error) { return codec.Marshal(s) }

// MarshalJSONTo implements [github.com/go-json-experiment/json.MarshalerTo].
func (s JSONSchemaPropsOrStringArray) MarshalJSONTo(e *jsontext.Encoder) error {
	if len(s.Property) > 0 {
		return json.MarshalEncode(e, s.Property)
	}
	return json.MarshalEncode(e, s.Schema)
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (s *JSONSchemaPropsOrStringArray) UnmarshalJSON(data []byte) error {
	return codec.Unmarshal(data, s)
}

// UnmarshalJSONFrom implements [github.com/go-json-experiment/json.UnmarshalerFrom]. A value that is neither an object
// nor a list leaves s empty, as in kube-apiserver.
func (s *JSONSchemaPropsOrStringArray) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*s = JSONSchemaPropsOrStringArray{}
	return unmarshalEither(d, &s.Schema, &s.Property)
}

// JSONForms returns the types that a JSONSchemaPropsOrStringArray can encode: a schema and a list of strings.
func (JSONSchemaPropsOrStringArray) JSONForms() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[JSONSchemaProps](), reflect.TypeFor[[]string]()}
}

// unmarshalEither decodes an object or a list. It ignores other values.
func unmarshalEither(d *jsontext.Decoder, object, list any) error {
	switch d.PeekKind() {
	case '{':
		return json.UnmarshalDecode(d, object)
	case '[':
		return json.UnmarshalDecode(d, list)
	}
	return d.SkipValue()
}
