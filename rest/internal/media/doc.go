// Package media turns stored objects into the bytes that a client asks for. It knows media types, the forms of an object, and
// the versions of kinds; it knows neither requests nor resources. Package rest reads the headers, asks for the representation,
// and writes the answer.
//
//	Accept -> Types.Negotiate -> Representation
//	record, list, change + Kind + Representation -> bytes
//
// An object is stored as JSON, and compact JSON is sent as it is stored. Everything else is made of that text: its metadata
// alone, the rows of a Table, Protobuf, CBOR, YAML, indented JSON.
package media
