// Package resource serves one resource of an API, as documents. It reads, writes, selects and converts objects, and applies the rules of
// their kind.
//
// The package knows nothing of HTTP: it may not import net/http. The handlers of package rest and its typed clients
// call the same methods. A [Resource] reads with Get and List, and writes with a [Write]. A write takes the steps of
// steps.go. Watches are in package follow.
package resource
