// Package patch changes documents: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386) and Strategic Merge Patch, as the
// Kubernetes API server applies them.
//
// Every patch is a pure function. It is parsed once, from the body of a request, and may then be applied to any number of
// documents, concurrently; what it is applied to is not changed, and the result shares with it what stayed the same. So a
// patch can be applied again to a newer object when a write loses a race, at no more than the cost of the change.
//
// The first two know nothing of what they change. A strategic merge patch asks the schema of the kind how a field is
// merged: lists by the key of their elements or as sets, where a merge patch can only replace them.
//
// Errors are [*status.Error] with the code and the text that the API server answers. What exactly went wrong, which
// operation and why, is not in that text (upstream keeps it to itself, too) but behind it: errors.As finds an
// [*OperationError].
package patch
