// Package resource is one resource of an API, working on documents. It creates, reads, changes, deletes, selects and converts
// objects, and applies the rules of their kind on the way. It knows nothing of HTTP: the handlers of package rest and its typed
// clients call the same few methods.
package resource
