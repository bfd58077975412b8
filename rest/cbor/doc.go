// Package cbor lets a host read and serve CBOR (RFC 8949), a binary form of what JSON says, smaller and cheaper to read:
//
//	api, err := rest.New(rest.Options{CBOR: cbor.Format()}, widgets)
//
// Clients then get application/cbor where they ask for it, and application/cbor-seq for watches, with every kind; those of
// client-go do when its feature gate ClientsAllowCBOR is on. Only programs that import this package link a CBOR library.
package cbor
