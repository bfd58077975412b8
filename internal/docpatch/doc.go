// Package docpatch applies patches to documents: the patches of package patch, whose callers have JSON texts, and of
// package rest, which has decoded an object already and keeps the result as a document.
//
// Every patch is a pure function. Apply does not change its argument; the result shares with it what stays the same, so
// a caller sees cheaply that nothing has changed. When a write loses a race, the caller applies the patch again to the
// newer object, and pays for the change only.
//
// Errors are [*status.Error] with the code and the text that the API server answers. The cause of a JSON Patch that
// cannot be applied is an [*OperationError].
package docpatch
