// Package etcd is a [storage.Store] whose objects are in etcd, for a host that runs as several replicas. To move a host
// from memory to etcd, change one line:
//
//	store, err := etcd.Open(ctx, etcd.Options{Config: clientv3.Config{Endpoints: []string{"http://127.0.0.1:2379"}}})
//
// Each replica keeps all objects in memory and follows etcd with one watch. It answers reads, lists and watches from
// memory. A write is one transaction of etcd, and returns once the replica shows it. A read of the most recent state
// asks etcd for the last revision; concurrent reads share the question. Replicas show equal revisions, so clients may
// continue a list or a watch on another replica. docs/storage.md describes how to operate replicas, and what happens on
// each fault.
//
// # The keys
//
// All keys of a store start with its prefix, by default /decorum. Several stores can share an etcd if no prefix
// contains another one.
//
//	PREFIX/meta                          the format, the id and the base of the store, as JSON
//	PREFIX/commit                        the last commit: an id, its time, and the number of its changes
//	PREFIX/history                       the revision up to which the history was dropped
//	PREFIX/forms/RESOURCE/NUMBER         the fingerprint of a form. Forms are numbered from 0, in the order in which they were first used
//	PREFIX/accounts/ACCOUNT              empty; written by each commit that charges an account with a quota (see [storage.Ledger])
//	PREFIX/objects/RESOURCE/NAMESPACE/NAME
//	                                     an object; the namespace is empty if the resource is cluster-scoped
//
// The value of an object is a line with the number of the form, the time of the write in microseconds since 1970, the
// index in its group, the position of the resourceVersion in the JSON and, if a transformer sealed the JSON, the id of
// the key, and, if the store had a ledger, the creator; then the JSON, with an empty resourceVersion. In parts of a
// key, the store writes the characters / and %, control characters and bytes beyond ASCII as %XX.
//
// A commit is a transaction that compares the revisions of the objects, and of the accounts with a quota, and then
// writes PREFIX/commit and the changed objects. The resourceVersion of an object is base + etcd's revision × 256 + the
// index in the group. The base is chosen when the prefix is first used, above the clock in microseconds, so the
// revisions continue those of a store in memory or in a file. A replica that notices that etcd has gone back to an
// earlier state raises the base in PREFIX/meta. Because each commit writes PREFIX/commit, one read of this key tells a
// replica whether it has seen every commit.
package etcd

// layout is the name of the layout. Open refuses a prefix with another format.
const layout = "decorum etcd 1"
