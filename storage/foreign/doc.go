// Package foreign is a [storage.Store] of kinds whose objects live elsewhere: in the tables of the host, or in another
// service. The host declares functions that read them, and may declare functions that write them. The API serves such
// kinds like all others:
//
//	store, err := foreign.Open(foreign.Options{}, foreign.Source[Order]{
//		Resource: apimeta.GroupResource{Group: "shop.example.com", Resource: "orders"},
//		List:     func(ctx context.Context) ([]Order, error) { ... },
//	})
//	api, err := rest.New(rest.Options{Stores: map[apimeta.GroupResource]storage.Store{
//		{Group: "shop.example.com", Resource: "orders"}: store,
//	}}, orders)
//
// # Reads
//
// The store keeps in memory what it has seen at the source, and answers every read and every watch from there. It looks
// at the source at intervals, or when the source reports a change (see [Source]). So reads may be as old as an
// interval. If the source fails, the store serves what it has seen until that is older than a bound. Then reads fail
// with 503 ServiceUnavailable, and /readyz names the source. Watches stay open, and go on when the source answers
// again.
//
// A state of the source becomes visible as a whole. If the store cannot read an object, or if the source returns two
// objects with one name, the state is an error that names the object, and changes nothing.
//
// # Writes
//
// A write takes the steps of all writes, and at the end the store calls the function of the host. If that returns an
// error, nothing has changed, and the client gets the error: a Status of package status as it is, and 500 for all
// others. After a Conflict, the store reads the object again. If it has changed, the write starts again with the new
// state. Verbs without a function are answered with 405 MethodNotAllowed, and discovery does not list them. Writers of
// one object take turns.
//
// # What such kinds cannot promise
//
//   - Revisions belong to one process. After a restart, or at another replica, clients get 410 Expired for them and list again. The store
//     recognizes the revisions of others, and never continues a watch with a gap.
//   - A change that the source undoes between two looks is never seen.
//   - An object has the uid that the source gives it. Without one, the uid is made from the resource, the namespace and the name, so an
//     object that was deleted and created again looks like the same one.
//   - Fields of metadata that the source does not keep disappear: creationTimestamp, labels, finalizers, generation.
//   - The kind has no managedFields, and no server-side apply.
//   - One write changes one object.
//   - An API cannot empty a namespace of objects that it cannot delete, so these do not hold the namespace. The garbage collector deletes no
//     such object either. It should not name an owner with blockOwnerDeletion, because the owner would wait for it.
package foreign
