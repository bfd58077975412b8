// Package docpatch applies patches to documents: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386) and Strategic Merge
// Patch, as the Kubernetes API server applies them. Its callers have decoded an object already, and keep the result as
// a document.
//
// Every patch is a pure function. Apply does not change its argument; the result shares with it what stays the same, so
// a caller sees cheaply that nothing has changed. When a write loses a race, the caller applies the patch again to the
// newer object, and pays for the change only.
//
// Errors are [*status.Error] with the code and the text that the API server answers. The cause of a JSON Patch that
// cannot be applied is an [*OperationError].
package docpatch
