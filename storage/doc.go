// Package storage keeps objects. It defines the contract of a [Store] and implements it with [Engine], which answers every read and every
// watch from memory. A [Backend] makes the writes of an engine durable; an engine without one is a [Memory].
//
// A store holds one canonical JSON text per object and serves these bytes. At commit, the resource's [Extractor] reads from them what
// selection needs (labels, owners, selectable fields, the position of the metadata), and the store keeps it with the text in a
// [Record]. Records are immutable: readers may keep them but must not change them.
//
// All writes go through Update. It calls a function with the current record, and the function returns the next JSON, nil to delete the
// object, or an error to change nothing. The function runs outside every lock, so it may call the store. It runs again if another
// write came first, so it must have no side effects.
//
//	Update(key, fn)
//	  read      current record of the key                       shared lock
//	  fn        current → next JSON                              no lock
//	  prepare   unchanged? extract parts, make room for digits   no lock
//	  commit    assign:  key still has the record that fn saw?   exclusive lock, a few µs
//	                     take the next revision, write it in
//	            append:  the backend makes it durable            no lock
//	            publish: tree, log, wake the dispatcher          exclusive lock
//
// The commits of all resources share one sequence of revisions. A commit of [Store.UpdateAll] takes several revisions, which become
// visible together. Update functions see assigned records; readers and watchers see only published ones. If an update function refuses a
// write because of a record that it has seen, as in "already exists", the store returns the error only after that record is published.
//
// The tree holds only the latest records. The log of package watch holds the recent changes, each with the record before and after it.
// A snapshot is a copy-on-write copy of the tree. The first list after a change makes one, and later lists share it until the resource
// changes again. To list an older revision, the store copies a snapshot and undoes the changes that are younger than the revision.
// Revisions that the log no longer covers give 410 Expired. The store keeps a few old snapshots, bounded by number and bytes. For each
// resource, one request at a time builds an old state; it blocks neither reads of newer states nor writes.
//
// A replica ([OpenReplica]) shares its objects with other engines over an [Authority], which assigns the revisions. Its commit has other steps:
//
//	propose: do I still have the records that fn saw?       shared lock
//	         the authority compares them and commits        no lock
//	apply:   the feed brings the group: extract, upgrade     no lock
//	         publish; the writer returns                     exclusive lock
//
// A backend or an authority proves that it keeps the contract by running the tests of package storagetest.
package storage
