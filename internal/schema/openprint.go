package schema

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// appendWithoutDocs appends the keywords of an OpenAPI schema without its documentation, so that a change of a
// description does not change the fingerprint.
func appendWithoutDocs(dst []byte, schema doc.Value) []byte {
	for keyword, v := range schema.Members() {
		switch keyword {
		case "description", "title", "example", "externalDocs":
			continue
		}
		dst = append(codec.AppendJSON(dst, doc.Of(keyword)), ':')
		switch keyword {
		case "items", "additionalProperties", "not":
			dst = appendBelow(dst, v)
		case "properties":
			for name, property := range v.Members() {
				dst = appendBelow(codec.AppendJSON(dst, doc.Of(name)), property)
			}
		case "allOf", "anyOf", "oneOf":
			for _, alternative := range v.Elements() {
				dst = appendBelow(dst, alternative)
			}
		default:
			dst = codec.AppendJSON(dst, v)
		}
		dst = append(dst, ',')
	}
	return dst
}

// appendBelow appends the value of a keyword that is a schema, or may be a boolean. The text identifies the schema, but
// is not JSON.
func appendBelow(dst []byte, v doc.Value) []byte {
	if v.Kind() != doc.Map {
		return codec.AppendJSON(dst, v)
	}
	return append(appendWithoutDocs(append(dst, '{'), v), '}')
}
