package openapi

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// The messages of OpenAPIv2.proto, each written from the JSON that it stands for: the members that our documents have.

func documentMessage(v doc.Value) (m message) {
	m.text(1, v, "swagger")
	m.one(2, v, "info", infoMessage)
	m.one(8, v, "paths", pathsMessage)
	m.one(9, v, "definitions", schemasMessage)
	return m
}

func infoMessage(v doc.Value) (m message) {
	m.text(1, v, "title")
	m.text(2, v, "version")
	m.text(3, v, "description")
	return m
}

func pathsMessage(v doc.Value) (m message) {
	m.named(2, v, pathMessage)
	return m
}

func pathMessage(v doc.Value) (m message) {
	m.one(2, v, "get", operationMessage)
	m.one(3, v, "put", operationMessage)
	m.one(4, v, "post", operationMessage)
	m.one(5, v, "delete", operationMessage)
	m.one(8, v, "patch", operationMessage)
	m.each(9, v, "parameters", parameterMessage)
	m.extensions(10, v)
	return m
}

func operationMessage(v doc.Value) (m message) {
	m.texts(1, v, "tags")
	m.text(3, v, "description")
	m.text(5, v, "operationId")
	m.texts(6, v, "produces")
	m.texts(7, v, "consumes")
	m.each(8, v, "parameters", parameterMessage)
	m.one(9, v, "responses", responsesMessage)
	m.extensions(13, v)
	return m
}

// parameterMessage is wrapped once for each choice that the proto makes: a parameter, not a reference to one; in the
// body or not; in the query or in the path.
func parameterMessage(v doc.Value) message {
	var choice, parameter message
	switch v.Get("in").Text() {
	case "body":
		choice.bytes(1, bodyMessage(v))
	case "query":
		choice.bytes(2, wrapped(3, queryMessage(v)))
	default:
		choice.bytes(2, wrapped(4, inPathMessage(v)))
	}
	parameter.bytes(1, choice)
	return parameter
}

func wrapped(number int, inner message) (m message) {
	m.bytes(number, inner)
	return m
}

func bodyMessage(v doc.Value) (m message) {
	m.text(1, v, "description")
	m.text(2, v, "name")
	m.text(3, v, "in")
	m.flag(4, v, "required")
	m.one(5, v, "schema", schemaMessage)
	return m
}

func queryMessage(v doc.Value) (m message) {
	m.flag(1, v, "required")
	m.text(2, v, "in")
	m.text(3, v, "description")
	m.text(4, v, "name")
	m.text(6, v, "type")
	return m
}

func inPathMessage(v doc.Value) (m message) {
	m.flag(1, v, "required")
	m.text(2, v, "in")
	m.text(3, v, "description")
	m.text(4, v, "name")
	m.text(5, v, "type")
	return m
}

func responsesMessage(v doc.Value) (m message) {
	m.named(1, v, func(answer doc.Value) message { return wrapped(1, responseMessage(answer)) })
	return m
}

func responseMessage(v doc.Value) (m message) {
	m.text(1, v, "description")
	m.one(2, v, "schema", func(s doc.Value) message { return wrapped(1, schemaMessage(s)) })
	return m
}

// schemasMessage is both the definitions of a document and the properties of a schema.
func schemasMessage(v doc.Value) (m message) {
	m.named(1, v, schemaMessage)
	return m
}

func schemaMessage(v doc.Value) (m message) {
	m.text(1, v, "$ref")
	m.text(2, v, "format")
	m.text(4, v, "description")
	m.one(5, v, "default", anyMessage)
	m.double(6, v, "multipleOf")
	m.double(7, v, "maximum")
	m.flag(8, v, "exclusiveMaximum")
	m.double(9, v, "minimum")
	m.flag(10, v, "exclusiveMinimum")
	m.integer(11, v, "maxLength")
	m.integer(12, v, "minLength")
	m.text(13, v, "pattern")
	m.integer(14, v, "maxItems")
	m.integer(15, v, "minItems")
	m.integer(17, v, "maxProperties")
	m.integer(18, v, "minProperties")
	m.texts(19, v, "required")
	m.each(20, v, "enum", anyMessage)
	m.one(21, v, "additionalProperties", func(s doc.Value) message { return wrapped(1, schemaMessage(s)) })
	m.one(22, v, "type", func(typ doc.Value) (t message) { t.value(1, typ); return t })
	m.one(23, v, "items", func(s doc.Value) message { return wrapped(1, schemaMessage(s)) })
	m.one(25, v, "properties", schemasMessage)
	m.extensions(31, v)
	return m
}

// anyMessage holds any value as YAML, of which JSON is a part.
func anyMessage(v doc.Value) (m message) {
	m.bytes(2, codec.AppendJSON(nil, v))
	return m
}
