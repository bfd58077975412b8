package resource

import (
	"encoding/json"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// patchedText is what a patch has made of an object, as the JSON text that clients are shown where that is refused. It is
// written only then: of is the object before, and text makes of its text that of the result.
type patchedText struct {
	of   doc.Value
	text func(object []byte) []byte
	// declared is the schema whose fields are in the order of the text; without one members are sorted by name.
	declared *schema.Schema
	// asWritten: values of the patch stand in the text as they were written.
	asWritten bool
}

// repeated returns the members that stand twice in the text, as field validation names them. A patch that is written without
// such members makes none.
func (p *patchedText) repeated(problems []string) (again []string) {
	if p == nil || !p.asWritten || len(problems) == 0 {
		return nil
	}
	_, duplicates, err := codec.DecodeJSON([]byte(p.String()))
	if err != nil {
		return nil
	}
	for _, path := range duplicates {
		again = append(again, DuplicateField(path))
	}
	return again
}

func (p *patchedText) String() string {
	var object []byte
	if p.declared != nil {
		object = appendDeclared(nil, p.of, p.declared)
	} else {
		object = codec.AppendJSON(nil, p.of)
	}
	return string(p.text(object))
}

// appendDeclared appends the JSON text of a value as Go writes it, with the fields of structs as they are declared.
func appendDeclared(dst []byte, v doc.Value, s *schema.Schema) []byte {
	switch {
	case v.Kind() == doc.Map:
		dst = append(dst, '{')
		first := true
		for key, value := range s.Declared(v) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(codec.AppendJSON(dst, doc.Of(key)), ':')
			dst = appendDeclared(dst, value, s.Member(key))
		}
		return append(dst, '}')
	case v.Kind() == doc.List && s != nil:
		dst = append(dst, '[')
		for i, value := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendDeclared(dst, value, s.Items)
		}
		return append(dst, ']')
	}
	return codec.AppendJSON(dst, v)
}

// shownText is the text of an object of which there is none, as Go writes it.
func shownText(obj doc.Value) string {
	text := codec.AppendJSON(nil, obj)
	if escaped, err := json.Marshal(json.RawMessage(text)); err == nil {
		text = escaped
	}
	return string(text)
}
