// Package lifecycle provides the controllers that act after a deletion: the garbage collector, which deletes the dependents of
// deleted objects, and the namespace controller, which empties deleted namespaces. A host runs them beside its API:
//
//	go lifecycle.CollectGarbage(ctx, api, lifecycle.Options{})
//	go lifecycle.EmptyNamespaces(ctx, api, lifecycle.Options{})
//
// Without them, the API stores owner references and propagation policies but nothing acts on them: an object that is deleted in the
// foreground waits for its dependents forever, and a namespace of [rest.NamespacesOf] is never removed.
//
// Each controller follows the changes of all resources in one sequence, so it decides on the state of the whole API at one revision.
// Before it writes, it reads the stored object again and makes the write conditional on what it has read. Every replica of an API may
// run both: the second controller to act finds the work done.
//
// Their writes go through the same pipeline as all others, including admission (see [rest.Admission]). If the context has no user, the
// user is that of the corresponding Kubernetes controller.
package lifecycle
