// Package cbor has the tests of client-go with CBOR. Its feature gates hold for a whole process, so they are not with the
// other clients.
package cbor
