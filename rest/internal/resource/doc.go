// Package resource describes one resource of an API, and reads its objects, as documents. A [Resource] knows what its
// kind is: its schema, its hooks, its versions and subresources, and the kind's own rules ([Strategy]). It selects,
// gets and lists objects, and converts them between the versions of the kind.
//
// The package knows nothing of HTTP: it may not import net/http. The handlers of package front and the typed clients
// reach it through package service. Writes are in package write, watches in package follow, and changes of what an API
// serves in package exchange.
package resource
