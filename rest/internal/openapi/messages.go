package openapi

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// The messages of OpenAPIv2.proto, each written from the JSON that it stands for: the members that our documents have.

func documentMessage(v doc.Value) (m message) {
	m.text(1, v.Get("swagger"))
	m.one(2, v.Get("info"), infoMessage)
	m.one(8, v.Get("paths"), pathsMessage)
	m.one(9, v.Get("definitions"), schemasMessage)
	return m
}

func infoMessage(v doc.Value) (m message) {
	m.text(1, v.Get("title"))
	m.text(2, v.Get("version"))
	m.text(3, v.Get("description"))
	return m
}

func pathsMessage(v doc.Value) (m message) {
	m.named(2, v, pathMessage)
	return m
}

func pathMessage(v doc.Value) (m message) {
	m.one(2, v.Get("get"), operationMessage)
	m.one(3, v.Get("put"), operationMessage)
	m.one(4, v.Get("post"), operationMessage)
	m.one(5, v.Get("delete"), operationMessage)
	m.one(8, v.Get("patch"), operationMessage)
	m.each(9, v.Get("parameters"), parameterMessage)
	m.extensions(10, v)
	return m
}

func operationMessage(v doc.Value) (m message) {
	m.texts(1, v.Get("tags"))
	m.text(3, v.Get("description"))
	m.text(5, v.Get("operationId"))
	m.texts(6, v.Get("produces"))
	m.texts(7, v.Get("consumes"))
	m.each(8, v.Get("parameters"), parameterMessage)
	m.one(9, v.Get("responses"), responsesMessage)
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
	m.text(1, v.Get("description"))
	m.text(2, v.Get("name"))
	m.text(3, v.Get("in"))
	m.flag(4, v.Get("required"))
	m.one(5, v.Get("schema"), schemaMessage)
	return m
}

func queryMessage(v doc.Value) (m message) {
	m.flag(1, v.Get("required"))
	m.text(2, v.Get("in"))
	m.text(3, v.Get("description"))
	m.text(4, v.Get("name"))
	m.text(6, v.Get("type"))
	return m
}

func inPathMessage(v doc.Value) (m message) {
	m.flag(1, v.Get("required"))
	m.text(2, v.Get("in"))
	m.text(3, v.Get("description"))
	m.text(4, v.Get("name"))
	m.text(5, v.Get("type"))
	return m
}

func responsesMessage(v doc.Value) (m message) {
	m.named(1, v, func(answer doc.Value) message { return wrapped(1, responseMessage(answer)) })
	return m
}

func responseMessage(v doc.Value) (m message) {
	m.text(1, v.Get("description"))
	m.one(2, v.Get("schema"), func(s doc.Value) message { return wrapped(1, schemaMessage(s)) })
	return m
}

// schemasMessage is both the definitions of a document and the properties of a schema.
func schemasMessage(v doc.Value) (m message) {
	m.named(1, v, schemaMessage)
	return m
}

func schemaMessage(v doc.Value) (m message) {
	m.text(1, v.Get("$ref"))
	m.text(2, v.Get("format"))
	m.text(4, v.Get("description"))
	m.one(5, v.Get("default"), anyMessage)
	m.double(6, v.Get("multipleOf"))
	m.double(7, v.Get("maximum"))
	m.flag(8, v.Get("exclusiveMaximum"))
	m.double(9, v.Get("minimum"))
	m.flag(10, v.Get("exclusiveMinimum"))
	m.integer(11, v.Get("maxLength"))
	m.integer(12, v.Get("minLength"))
	m.text(13, v.Get("pattern"))
	m.integer(14, v.Get("maxItems"))
	m.integer(15, v.Get("minItems"))
	m.integer(17, v.Get("maxProperties"))
	m.integer(18, v.Get("minProperties"))
	m.texts(19, v.Get("required"))
	m.each(20, v.Get("enum"), anyMessage)
	m.one(21, v.Get("additionalProperties"), func(s doc.Value) message { return wrapped(1, schemaMessage(s)) })
	m.one(22, v.Get("type"), func(typ doc.Value) (t message) { t.text(1, typ); return t })
	m.one(23, v.Get("items"), func(s doc.Value) message { return wrapped(1, schemaMessage(s)) })
	m.one(25, v.Get("properties"), schemasMessage)
	m.extensions(31, v)
	return m
}

// anyMessage holds any value as YAML, of which JSON is a part.
func anyMessage(v doc.Value) (m message) {
	m.bytes(2, codec.AppendJSON(nil, v))
	return m
}
