// Package cbor contains the tests of client-go with CBOR. client-go's feature gates apply to the whole process, so
// these tests are separate from those of the other clients.
package cbor
