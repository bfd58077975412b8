// Package quota limits how many objects a namespace or a user has, and how many bytes they take:
//
//	store := memory.New(storage.Options{Ledger: quota.New(quota.Fixed(map[quota.Account][]quota.Limit{
//		{Namespace: "team-a"}: {{Name: "widgets", Resource: "widgets.example.com", Objects: 100}},
//		{User: "guest"}:       {{Name: "guests", Objects: 10, Bytes: 1 << 20}},
//	}))})
//	api, err := rest.New(rest.Options{Store: store}, widgets)
//
// The limits belong to the store, so they hold for every API over it and for every way of writing. Package storage/bolt
// and module storage/etcd take the same option as Options.Engine.Ledger.
//
// Limits on namespaces can also be objects of the kind [ResourceQuota], which clients manage, and which show what is
// used: see [ResourceQuotas].
//
// # What counts
//
// An object counts in the account of its namespace and in that of the user who created it. The store keeps the name of
// that user with the object, where no client can change it. An object from before the store had limits counts in its
// namespace only. The bytes of an object are those of its JSON as the store holds it, with managedFields. The objects
// of resources that no API serves do not count.
//
// # What is refused
//
// A write that adds to an account must fit into every limit of the account. Otherwise the client gets 403 Forbidden
// with the message of Kubernetes:
//
//	widgets.example.com "x" is forbidden: exceeded quota: widgets, requested: count/widgets.example.com=1, used: count/widgets.example.com=100, limited: count/widgets.example.com=100
//
// The names are count/RESOURCE and bytes/RESOURCE, or count/* and bytes/* for all resources together. A message about
// the account of another user, or to a client whose rights are restricted to some objects ([access.AllowOnly]), contains
// only the name of the limit.
//
// A write that adds nothing always passes, even if the account is above its limit because the limit was lowered. So do
// deletions, although the deletionTimestamp makes an object a little larger. An update of the status needs room like
// every other update. A dry run gets the same refusal as the write, and does not count.
//
// The limits are exact: of two writes that compete for the last place, one fails, even if they reach different replicas
// of a store. All replicas must have the same limits.
package quota
