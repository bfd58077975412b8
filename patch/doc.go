// Package patch changes documents: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386) and Strategic Merge Patch, as the
// Kubernetes API server applies them.
//
// Every patch is a pure function. A caller parses it once, from the body of a request, and may then apply it to any
// number of documents, concurrently. Apply does not change its argument; the result shares with it what stays the same.
// So when a write loses a race, the caller applies the patch again to the newer object, and pays for the change only.
//
// JSON Patch and merge patch know nothing about the kind of the document. A strategic merge patch asks the schema of the
// kind how to merge a field: it matches the elements of a list by their key or treats them as a set, where a merge patch
// can only replace the list.
//
// Errors are [*status.Error] with the code and the text that the API server answers. Like upstream's, the text of a JSON
// Patch that cannot be applied does not say which operation failed or why. The cause does: errors.As finds an
// [*OperationError].
package patch
