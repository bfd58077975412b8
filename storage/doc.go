// Package storage keeps objects: the contract of a [Store], and [Memory], the engine that answers every read and every watch.
//
// A store holds one canonical JSON text per object. What is served is these bytes; what selection needs (labels, owners, selectable fields, the
// place of the metadata) is taken from them once, at commit, by the resource's [Extractor], and kept beside them in a [Record]. Records are
// immutable: whoever has one may keep it, and nobody may change it.
//
// There is one kind of write: Update calls a function with the current record, and the function returns the next JSON, nil to delete, or an error to
// leave everything as it is. The function runs outside every lock and may run again when somebody else was faster, so it may call the store, and it
// must have no effect but its result.
//
//	Update(key, fn)
//	  read      current record of the key                       shared lock
//	  fn        current → next JSON                              no lock
//	  prepare   unchanged? extract parts, make room for digits   no lock
//	  commit    assign:  key still has the record that fn saw?   exclusive lock, a few µs
//	                     take the next revision, write it in
//	            publish: tree, log, wake the dispatcher
//
// Every commit of any resource takes the next revision of one sequence; commits of [Store.UpdateAll] take several and become visible together.
//
// History is not kept in the tree. The tree holds the latest records, the log of package watch holds the recent changes with the record before
// and after each. A snapshot is a copy-on-write copy of the tree, made when somebody lists and kept until the resource changes; the state at an older
// revision is such a copy with the younger changes undone. What the log no longer holds cannot be read and gives 410 Expired.
// A few old snapshots are kept, bounded by their number and bytes. One request of each resource builds an old state at a time, beside all other
// reads and writes.
//
// A backend proves itself with package storagetest.
package storage
