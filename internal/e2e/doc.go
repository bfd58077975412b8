// Package e2e runs the example programs under a real kubectl, built from the
// release that this module's go.mod pins. It is a module of its own, so that
// what it needs stays out of the library's.
package e2e
