// Package rest serves resources over HTTP by the Kubernetes API conventions, and gives the program that serves them a typed client
// in the same process. Other programs use the same client over HTTP.
//
// Declare a kind as a Go struct, describe how it is served in a [Resource], and give it to [New]. The [API] that New returns is a
// [net/http.Handler]; [ClientFor] returns a [Client] of a kind. [ClientAt] returns a Client of a kind that another process serves.
//
// # Words
//
// The words of this package are those of the API conventions:
//
//   - A kind is a type of object, such as Widget. A resource is the collection in which objects of a kind are served, such as
//     widgets. Each has a group and one or more versions. Objects are stored in one of the versions.
//   - An object has metadata, a spec (the wanted state) and a status (the observed state).
//   - A subresource stands below the path of an object: a part of it (/status), a view of it (/scale), an action, or a stream.
//   - A write is a create, an update, a patch, an apply or a delete. It takes steps, in one order: fields that the schema does not know
//     are pruned; what a client may not set is restored; missing fields are defaulted; admission hooks mutate the object; it is
//     validated; managedFields record who owns which fields; it is converted to the stored version; admission hooks validate it; it
//     is encoded and committed.
//   - Admission is the host's say in every write, whatever the kind: see [Admission]. Hooks of one kind are in its [Resource].
//   - A dialect is one of the two ways in which Kubernetes' own servers answer, [Custom] or [Builtin].
//
// # Concurrency and errors
//
// Hooks hold no lock and may call the API. They run against a snapshot, and run again when another write has come first. What they
// return as an error of package status is the answer; any other error is a 500, whose text goes to the log, and so is a panic.
//
// docs/design-of-rest.md shows how the package is built, for those who want to change it.
package rest
