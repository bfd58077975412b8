// Package decorum is the tour of a library that serves APIs following the
// Kubernetes API conventions from inside any Go program. It holds no code; the
// code is in the packages below it.
//
// # The five-minute path
//
// Declare a kind as a struct that embeds apimeta.TypeMeta and
// apimeta.ObjectMeta and has a Spec and, mostly, a Status. Say in a
// rest.Resource how its API is called. Give it to rest.New, which returns an
// http.Handler, and mount that where you like. The example of this package is
// the whole of it, and `go run ./examples/quickstart` is the same with something
// alive behind it.
//
// # The packages, ground floor first
//
//   - apimeta has what every object shares: metadata, conditions, options,
//     label and field selectors, tables.
//   - status is the Status kind as a Go error. A hook that returns one chooses
//     the answer; any other error is a 500 whose cause goes to the logger.
//   - watch is the revision log: one ordered history, in which a watcher is a
//     position and a selector.
//   - storage is the contract of a store and the engine in memory;
//     storage/storagetest is the suite that every store must pass.
//   - patch applies JSON Patch, merge patch and strategic merge patch to documents;
//     pure functions.
//   - rest puts it together: resources, the way of a write, the HTTP handlers,
//     and the typed client for the same process.
//   - rest/controller is for hosts that act on what they serve: informers with an
//     indexed cache, a work queue and a reconcile loop on the typed client.
//   - rest/builtin declares Namespace, Lease and Event, which clients of Kubernetes
//     expect from every API.
//   - rest/lifecycle deletes objects: the garbage collector, the controller that
//     empties namespaces, and the controller that deletes expired objects.
//   - rest/cbor is a format, for hosts that want more than JSON, YAML and Protobuf.
//   - rest/resttest serves an API to tests, with faults to inject, and vets kinds.
//
// Each imports only what stands above it in this list, and a test says so.
//
// # The way of a request
//
// A read takes the bytes that the store holds and writes them: an object is
// encoded once, when it is committed. A write is decoded, checked against the
// URL, stripped of what its verb may not touch, defaulted, validated by schema
// and by hooks, and encoded; then the store compares, numbers and appends it.
// That part runs again when another write came first, so hooks must be ready to
// be called twice. The client in the same process takes the same way from the
// second step on.
//
// # What a host decides
//
// The listener, TLS, who the user is, logging, metrics and the prefix are the
// host's: the handler wants nothing of its own. Long watches outlive a server's
// WriteTimeout, which the handler lifts for them through
// http.ResponseController; middleware that wraps the ResponseWriter must have an
// Unwrap method for that, as net/http asks of every wrapper. Set ReadTimeout
// and WriteTimeout on the server, or a slow client holds its place for ever.
//
// When the program ends, cancel the context of your controllers and wait for
// their Run. Then call rest.API.Shutdown, which ends the watches, and last
// http.Server.Shutdown, which would wait for them.
package decorum
