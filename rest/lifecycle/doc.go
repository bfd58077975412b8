// Package lifecycle provides the controllers that end the lives of objects: the garbage collector, which deletes the dependents of
// deleted objects; the namespace controller, which empties deleted namespaces; and the expiry, which deletes objects whose time to live
// has passed. A host runs them beside its API:
//
//	go lifecycle.Run(ctx, api, lifecycle.Options{})
//
// Without them, the API stores owner references, propagation policies and times but nothing acts on them: an object that is deleted in
// the foreground waits for its dependents forever, a namespace of [rest.NamespacesOf] is never removed, and no object expires.
//
// The first two controllers follow the changes of all resources in one sequence, so they decide on the state of the whole API at one
// revision. Each write is conditional on the object that the controller has read. Every replica of an API may run all of them: the second
// controller to act finds the work done.
//
// Their writes go through the same pipeline as all others, including admission (see [rest.Admission]). If the context has no user, the
// user is that of the corresponding Kubernetes controller.
package lifecycle
