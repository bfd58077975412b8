// Package controller provides what a program needs to write controllers: informers, a work queue and a reconcile loop.
// They are generic over the program's Go types, use the typed client of package rest, and need no Kubernetes module.
// The API can be in the same process ([rest.ClientForType]) or in another one ([rest.ClientForEndpoint]). The smallest
// controller has an informer, a function, and a loop that joins them:
//
//	lamps := controller.NewInformer(client, controller.InformerOptions[Lamp]{})
//	reconcile := func(ctx context.Context, key controller.Key) (controller.Result, error) {
//		lamp, ok := lamps.Get(key.Namespace, key.Name)
//		if !ok || lamp.Status == lamp.Spec {
//			return controller.Result{}, nil // deleted, or as it should be
//		}
//		_, err := lamps.Client().Namespace(key.Namespace).ModifyStatus(ctx, key.Name, func(lamp *Lamp) error {
//			lamp.Status = lamp.Spec // a real controller would switch the lamp here
//			return nil
//		})
//		return controller.Result{}, err
//	}
//	err := controller.New(reconcile, controller.Options{}, controller.For(lamps)).Run(ctx)
//
// An [Informer] keeps track of all objects of a resource, or of those that selectors choose. It lists, watches from
// there, and lists again if it falls behind what the store retains. It reports every difference to its handlers, in
// order. A watch of the store is a position in the store's log, so an informer has no queue of its own. A slow handler
// delays its informer but never a writer. An informer that falls far behind reports the difference between two lists
// instead of each step in between. An informer in the process of the API shares the objects with the store, and decodes
// them on demand.
//
// A [Queue] passes keys of objects to workers. It passes a key once even if several sources add it, and never to two
// workers at a time. The delay of a key grows with each failure. Changed objects come before objects of the first list
// and before requeued objects.
//
// A [Controller] joins the two. Its sources name the objects to look at, and its [Reconciler] brings one object closer
// to its spec. The reconciler receives the name of the object, not the event. A controller that acts only on the
// present state (API conventions, Spec and Status) misses nothing if changes are skipped, and needs no memory of its
// own.
//
// All goroutines start inside Run and end before Run returns. A [Group] runs several controllers together. If several
// replicas run the same controllers, use package election, so that only the leader runs them, or so that each replica
// works on its own shards. Package events records what a controller did, for kubectl describe.
//
// # Writes
//
// A controller reconciles each object again and again, so a reconciler must not write if the object is already in the
// desired state. [CreateOrUpdate] writes an object only if it differs from the desired state, and
// [SetControllerReference] records its owner. [rest.Client.ModifyStatus] writes the status only if it has changed.
// [apimeta.SetCondition] keeps the lastTransitionTime of a condition whose status has not changed. To clean up before
// an object is removed, call [apimeta.ObjectMeta.AddFinalizer] and [apimeta.ObjectMeta.RemoveFinalizer] within
// [rest.Client.Modify].
//
// # Shared objects
//
// All readers share the objects that informers return: never change one. To write, get the object from the client
// instead: its Get, Modify and ModifyStatus return an object of the caller's own. The client is also always up to date,
// whereas an informer lags for a moment behind each write.
//
// A reconciler that writes through [Informer.Client] reads its own writes: the controller calls it again only when the
// informer has seen them. After a write through another client, the reconciler may read an older state first, and the
// controller calls it again once the informer has the new one.
//
// This package may change until v1.1 (docs/stability.md).
package controller
