// Package storage is the contract between an API and the stores that keep its objects. A [Store] holds one canonical
// JSON text per object, in one ascending sequence of revisions, and serves these bytes.
//
// # For a host
//
// A host opens a store, passes it to the API, and closes it after the API. Package storage/memory keeps objects in
// memory only. Packages storage/bolt, storage/etcd, storage/etcd/embedded and storage/postgres keep them in a file, in
// etcd and in Postgres. [Options] bounds the history of any of them. The API reads and writes objects, so a host needs
// the methods of [Store] only for tools of its own. Errors that a host may meet are [ErrReadOnly], [ErrUnknown],
// [ErrUnavailable] and [ErrClosed]. A [Ledger] limits what tenants hold.
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
// Most authors want package storage/engine, which answers reads, lists and watches from memory, and asks only for
// commits that last. An author who wants to replace it implements [Store], and optionally [Prober], [Transactor],
// [Reporter], [Rehearser] and [PartialStore]. [ReadOnly], [Unknown], [Unavailable] and [Unregistered] make errors that
// clients understand. The tests of package storage/storagetest check whether a store keeps the contract.
package storage
