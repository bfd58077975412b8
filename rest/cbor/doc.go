// Package cbor lets a host read and serve CBOR (RFC 8949), a binary encoding of JSON values that is smaller and cheaper
// to decode:
//
//	api, err := rest.New(rest.Options{CBOR: cbor.Format()}, widgets)
//
// Clients that ask for it then get application/cbor for every kind, and application/cbor-seq for watches. client-go
// asks for it if its feature gate ClientsAllowCBOR is on. Only programs that import this package link a CBOR library.
package cbor
