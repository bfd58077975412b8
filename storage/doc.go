// Package storage keeps objects. A [Store] holds one canonical JSON text per object, in one ascending sequence of
// revisions, and serves these bytes.
//
// # For a host
//
// A host opens a store, passes it to the API, and closes it after the API. [NewMemory] returns a store that keeps
// objects in memory only. Packages storage/bolt, storage/etcd and storage/postgres keep them in a file, in etcd and in
// Postgres. Each has an Open, and the file a Backup and a Restore. [Options] bounds the history of any of them. The API
// reads and writes objects, so a host needs the methods of [Store] only for tools of its own. Errors that a host may
// meet are [ErrReadOnly], [ErrUnknown], [ErrUnavailable] and [ErrClosed]. A [Ledger] limits what tenants hold.
//
// All writes go through Update. It calls a function with the current record, and the function returns the next JSON,
// nil to delete the object, or an error to change nothing. The function runs outside every lock, so it may call the
// store. It runs again if another write came first, so it must have no side effects. A [Record] is immutable: readers
// may keep it but must not change it.
//
// [Transactor] commits what a function does with any number of calls as a unit.
//
// # For an author of a store
//
// There are three ways to write a store. The tests of package storagetest check whether it keeps the contract.
//
//   - A [Backend] makes the writes of one process durable ([Open]). The engine orders the writes and answers all reads from memory.
//     Package storage/bolt has one.
//   - An [Authority] orders the writes of many processes, and assigns the revisions ([OpenReplica]). Each process has an engine that
//     follows it. Packages storage/etcd and storage/postgres have one. [Forms] implements a part of it.
//   - A [Store] of its own, without the engine, implements the whole contract.
//
// [Start], [Stored], [PriorState], [Group], [Entry], [Arrival], [Verdict] and [BoundedBackend] are only for authors, as are
// [ReadOnly], [Unknown] and [Unavailable], which make errors that clients understand.
//
// # How the engine works
//
// An [Engine] has two parts. Its objects are in memory, and answer every read and every watch. Its committer makes a
// write durable before it changes the objects; the committers of a store in memory, in a backend, and of a replica are
// the types memory, durable and replica.
//
//	Update(key, fn)
//	  read      current record of the key                       shared lock
//	  fn        current → next JSON                              no lock
//	  prepare   unchanged? extract parts, make room for digits   no lock
//	  commit    examine: key still has the record that fn saw?   exclusive lock, a few µs
//	            assign:  take the next revision, write it in
//	            append:  the backend makes it durable            no lock; not in memory
//	            publish: tree, log, wake the dispatcher          exclusive lock
//
// The commit of a replica has other steps:
//
//	examine: do I still have the records that fn saw?       shared lock
//	propose: the authority compares them and commits        no lock
//	apply:   the feed brings the group: extract, upgrade     no lock
//	         publish; the writer returns                     exclusive lock
//
// At commit, the resource's [Extractor] reads from the JSON what selection needs (labels, owners, selectable fields,
// the position of the metadata), and the engine keeps it with the text in a [Record]. The commits of all resources
// share one sequence of revisions. A commit of [Store.UpdateAll] takes several revisions, which become visible
// together. Update functions see assigned records; readers and watchers see only published ones. If an update function
// refuses a write because of a record that it has seen, as in "already exists", the engine returns the error only after
// that record is published.
//
// The tree holds only the latest records. The log of package watch holds the recent changes, each with the record
// before and after it. A snapshot is a copy-on-write copy of the tree. The first list after a change makes one, and
// later lists share it until the resource changes again. To list an older revision, the engine copies a snapshot and
// undoes the changes that are younger than the revision. Revisions that the log no longer covers give 410 Expired. The
// engine keeps a few old snapshots, bounded by number and bytes. For each resource, one request at a time builds an old
// state; it blocks neither reads of newer states nor writes.
package storage
