// Package patch changes JSON objects: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386) and Strategic Merge Patch, as
// the Kubernetes API server applies them.
//
// A patch is parsed once, from the body of a request, and may then be applied to any number of objects, concurrently.
// Apply does not change its argument. It returns new JSON, with the members of maps sorted by name and without space
// between the tokens, so that the same object has the same bytes.
//
// JSON Patch and merge patch know nothing about the kind of the object. A strategic merge patch asks a Go type how to
// merge each list: it matches the elements by their key or treats them as a set, where a merge patch can only replace
// the list.
//
// Errors are [*status.Error] with the code and the text that the API server answers. Like upstream's, the text of a
// JSON Patch that cannot be applied does not say which operation failed or why. The cause does: errors.As finds an
// [*OperationError].
package patch
