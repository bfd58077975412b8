package write

import (
	"encoding/json"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// patchedText writes the JSON text of a patched object, which error messages show. It does so only when an error needs
// it. of is the old object; text patches the text of an object.
type patchedText struct {
	of   doc.Value
	text func(object []byte) []byte
	// declared is the schema that gives the fields their declared order. If it is nil, members are sorted by name.
	declared *schema.Schema
	// asWritten: the text keeps the values of the patch as the client wrote them.
	asWritten bool
}

// repeated returns the duplicate members of the text, as field validation reports them. If the patch has no duplicate
// members, its result has none either.
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

// String returns the JSON text of the patched object.
func (p *patchedText) String() string {
	var object []byte
	if p.declared != nil {
		object = appendDeclared(nil, p.of, p.declared)
	} else {
		object = codec.AppendJSON(nil, p.of)
	}
	return string(p.text(object))
}

// appendDeclared appends the JSON text of a value as Go writes it: the fields of structs in their declared order.
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

// shownText returns the JSON text of an object that no patch produced, as Go writes it.
func shownText(obj doc.Value) string {
	text := codec.AppendJSON(nil, obj)
	if escaped, err := json.Marshal(json.RawMessage(text)); err == nil {
		text = escaped
	}
	return string(text)
}
