// Package controller is what a host needs to live on its own API: informers, a work queue and a reconcile loop, generic
// over the host's Go types, on the typed client of package rest and with no module of Kubernetes.
//
// An [Informer] keeps a copy of all objects of a resource, or of those that selectors choose, in the memory of the
// process: it lists, watches from there, and lists again when it has fallen behind what the store retains. Handlers are
// told of every difference, in order. A watch of the store is a position in its log, so an informer has no queue of its
// own either: a slow handler makes its informer late, never a writer, and a very late one is told of the difference
// between two lists instead of each step in between.
//
// A [Queue] hands out keys of objects to workers: each key once however often it was added, never to two workers at a
// time, and after a failure later each time.
//
// A [Controller] joins the two. Its sources say which objects to look at, and its [Reconciler] brings one object closer
// to what its spec asks for. It is told which object, not what has happened to it: whoever acts on the present state
// only (API conventions, Spec and Status) misses nothing when changes are skipped, and needs no memory of its own.
//
//	widgets := controller.NewInformer(client, controller.InformerOptions[Widget]{})
//	err := controller.New(reconcile, controller.Options{}, controller.For(widgets)).Run(ctx)
//
// Everything runs inside Run and has ended when Run returns.
//
// # What is shared
//
// The objects that informers hand out are shared by all their readers: never change one. What shall be written comes
// from the client instead, whose Get, Modify and ModifyStatus give the caller an object of its own. They are not behind
// either, as a cache is for a moment after each write: a reconciler that has just written may not see it in the cache
// yet, but will be called again when it is there.
package controller
