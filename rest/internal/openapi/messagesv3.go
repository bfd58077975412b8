package openapi

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// The messages of OpenAPIv3.proto, each written from the JSON that it stands for: the members that our documents have,
// and in schemas also those that definitions of kinds may have.

func documentV3Message(v doc.Value) (m message) {
	m.text(1, v, "openapi")
	m.one(2, v, "info", infoV3Message)
	m.one(4, v, "paths", func(paths doc.Value) (t message) { t.named(1, paths, pathV3Message); return t })
	m.one(5, v, "components", func(c doc.Value) message {
		var schemas message
		schemas.named(1, c.Get("schemas"), placeV3Message)
		return wrapped(1, schemas)
	})
	return m
}

func infoV3Message(v doc.Value) (m message) {
	m.text(1, v, "title")
	m.text(2, v, "description")
	m.text(6, v, "version")
	return m
}

func pathV3Message(v doc.Value) (m message) {
	m.one(4, v, "get", operationV3Message)
	m.one(5, v, "put", operationV3Message)
	m.one(6, v, "post", operationV3Message)
	m.one(7, v, "delete", operationV3Message)
	m.one(10, v, "patch", operationV3Message)
	m.each(13, v, "parameters", parameterV3Message)
	m.extensions(14, v)
	return m
}

func operationV3Message(v doc.Value) (m message) {
	m.texts(1, v, "tags")
	m.text(3, v, "description")
	m.text(5, v, "operationId")
	m.each(6, v, "parameters", parameterV3Message)
	m.one(7, v, "requestBody", func(body doc.Value) message {
		var t message
		t.text(1, body, "description")
		t.one(2, body, "content", contentMessage)
		t.flag(3, body, "required")
		return wrapped(1, t)
	})
	m.one(8, v, "responses", func(all doc.Value) (t message) { t.named(2, all, responseV3Message); return t })
	m.extensions(13, v)
	return m
}

func parameterV3Message(v doc.Value) message {
	var m message
	m.text(1, v, "name")
	m.text(2, v, "in")
	m.text(3, v, "description")
	m.flag(4, v, "required")
	m.one(10, v, "schema", placeV3Message)
	return wrapped(1, m)
}

func responseV3Message(v doc.Value) message {
	var m message
	m.text(1, v, "description")
	m.one(3, v, "content", contentMessage)
	return wrapped(1, m)
}

// contentMessage is the body of a request or of an answer in each of its media types.
func contentMessage(v doc.Value) (m message) {
	m.named(1, v, func(body doc.Value) (t message) { t.one(1, body, "schema", placeV3Message); return t })
	return m
}

// placeV3Message is what the proto calls SchemaOrReference.
func placeV3Message(v doc.Value) message {
	ref := v.Get("$ref")
	if ref.IsAbsent() {
		return wrapped(1, schemaV3Message(v))
	}
	var m message
	m.value(1, ref)
	m.text(2, v, "summary")
	m.text(3, v, "description")
	return wrapped(2, m)
}

func schemaV3Message(v doc.Value) (m message) {
	m.flag(1, v, "nullable")
	m.one(6, v, "externalDocs", func(docs doc.Value) (t message) {
		t.text(1, docs, "description")
		t.text(2, docs, "url")
		return t
	})
	m.one(7, v, "example", anyMessage)
	m.text(9, v, "title")
	m.double(10, v, "multipleOf")
	m.double(11, v, "maximum")
	m.flag(12, v, "exclusiveMaximum")
	m.double(13, v, "minimum")
	m.flag(14, v, "exclusiveMinimum")
	m.integer(15, v, "maxLength")
	m.integer(16, v, "minLength")
	m.text(17, v, "pattern")
	m.integer(18, v, "maxItems")
	m.integer(19, v, "minItems")
	m.flag(20, v, "uniqueItems")
	m.integer(21, v, "maxProperties")
	m.integer(22, v, "minProperties")
	m.texts(23, v, "required")
	m.each(24, v, "enum", anyMessage)
	m.text(25, v, "type")
	m.each(26, v, "allOf", placeV3Message)
	m.each(27, v, "oneOf", placeV3Message)
	m.each(28, v, "anyOf", placeV3Message)
	m.one(29, v, "not", schemaV3Message)
	m.one(30, v, "items", func(s doc.Value) message { return wrapped(1, placeV3Message(s)) })
	m.one(31, v, "properties", func(all doc.Value) (t message) { t.named(1, all, placeV3Message); return t })
	m.one(32, v, "additionalProperties", additionalMessage)
	m.one(33, v, "default", defaultMessage)
	m.text(34, v, "description")
	m.text(35, v, "format")
	m.extensions(36, v)
	return m
}

// additionalMessage is a schema or a boolean. It is a choice, so false is written as well.
func additionalMessage(v doc.Value) message {
	switch {
	case v.Kind() != doc.Bool:
		return wrapped(1, placeV3Message(v))
	case v.Bool():
		return codec.AppendVarintField(nil, 2, 1)
	}
	return codec.AppendVarintField(nil, 2, 0)
}

// defaultMessage is a choice between a number, a boolean and a text, so zeros are written as well. The proto has no
// other defaults: the message of a list, a map or null is empty.
func defaultMessage(v doc.Value) message {
	switch v.Kind() {
	case doc.Bool:
		if v.Bool() {
			return codec.AppendVarintField(nil, 2, 1)
		}
		return codec.AppendVarintField(nil, 2, 0)
	case doc.String:
		return codec.AppendField(nil, 3, []byte(v.Text()))
	}
	if f, ok := v.Float(); ok {
		return codec.AppendDoubleField(nil, 1, f)
	}
	return nil
}
