// Package lifecycle is what follows a deletion: the garbage collector, which deletes what belonged to a deleted object, and
// the namespace controller, which empties a deleted namespace. A host that wants them runs them beside its API:
//
//	go lifecycle.CollectGarbage(ctx, api, lifecycle.Options{})
//	go lifecycle.EmptyNamespaces(ctx, api, lifecycle.Options{})
//
// Without them owner references, propagation policies and the namespaces of [rest.NamespacesOf] are only data: an object that
// is deleted in the foreground waits for its dependents for ever, and so does a namespace.
//
// Both follow all resources of the API by one sequence of changes, so what they decide on is the state of everything at one
// revision; they look at the stored objects again before they write, and make each write conditional on what they have seen. In
// an API of several replicas each may run them: they do the same things, and the second one finds them done.
//
// What they write goes the way of all writes, admission included (see [rest.Admission]). Where the context has no user of its
// own, the user is that of the same controller in Kubernetes.
package lifecycle
