package codec

import (
	"bytes"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends the JSON text of a document: members in the document's order, numbers as the document holds them,
// strings with as few escapes as JSON allows, and no space between tokens. Equal documents whose numbers are written
// alike have equal texts. U+FFFD replaces invalid UTF-8, and an absent value becomes null.
func AppendJSON(dst []byte, v doc.Value) []byte {
	switch v.Kind() {
	case doc.Map:
		dst = append(dst, '{')
		for i := range v.Len() {
			dst = appendMember(dst, v.KeyAt(i), v.At(i), i == 0)
		}
		return append(dst, '}')
	case doc.List:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, v.At(i))
		}
		return append(dst, ']')
	case doc.String:
		return AppendString(dst, v.Text())
	case doc.Number, doc.Bool:
		return append(dst, v.Literal()...)
	default:
		return append(dst, "null"...)
	}
}

// AppendObject appends the JSON text of an API object in the form in which it is stored and served: apiVersion, kind
// and metadata come first, so that the other members are one piece of bytes behind them. Below the top level, and for a
// value that is not a map, it is [AppendJSON].
func AppendObject(dst []byte, v doc.Value) []byte {
	if v.Kind() != doc.Map {
		return AppendJSON(dst, v)
	}
	dst = append(dst, '{')
	first := true
	for _, key := range [...]string{"apiVersion", "kind", "metadata"} {
		if value := v.Get(key); !value.IsAbsent() {
			dst = appendMember(dst, key, value, first)
			first = false
		}
	}
	for i := range v.Len() {
		switch key := v.KeyAt(i); key {
		case "apiVersion", "kind", "metadata":
		default:
			dst = appendMember(dst, key, v.At(i), first)
			first = false
		}
	}
	return append(dst, '}')
}

// EncodeObject returns what [AppendObject] appends, in memory of just that size. So a store can keep it.
func EncodeObject(v doc.Value) []byte {
	d := newDraft()
	text := AppendObject(d.AvailableBuffer(), v)
	defer d.release(text)
	return bytes.Clone(text)
}

func appendMember(dst []byte, key string, value doc.Value, first bool) []byte {
	if !first {
		dst = append(dst, ',')
	}
	dst = AppendString(dst, key)
	dst = append(dst, ':')
	return AppendJSON(dst, value)
}

// AppendString appends a string in JSON, with as few escapes as JSON allows. U+FFFD replaces invalid UTF-8.
func AppendString(dst []byte, s string) []byte {
	if !isVerbatim(s) {
		dst, _ = jsontext.AppendQuote(dst, s) // the error only reports that it has replaced invalid UTF-8
		return dst
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
