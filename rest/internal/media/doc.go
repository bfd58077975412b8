// Package media turns stored objects into the bytes that a client asks for. It knows media types, the forms of an
// object, and the versions of kinds. It knows neither requests nor resources. Package front reads the headers,
// negotiates the representation, and writes the answer.
//
//	Accept -> Types.Negotiate -> Representation
//	record, list, change + Kind + Representation -> bytes
//
// An object is stored as JSON, and a client that accepts compact JSON gets the stored bytes. All other forms are
// computed from them: the metadata alone, the rows of a Table, Protobuf, CBOR, YAML, indented JSON.
package media
