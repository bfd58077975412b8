// Package bolt keeps the objects of a [storage.Store] in one file, with go.etcd.io/bbolt. To move a host from memory to
// a file, change one line:
//
//	store, err := bolt.Open(ctx, bolt.Options{Path: "objects.db"})
//
// A write is on disk before the store acknowledges it, and before a reader or watcher sees it. Waiting writers share a
// sync. If a write or a sync fails, the store refuses all writes until the host closes it and opens it again; reads and
// watches continue. [Store.Stats], [Store.Backup], [Store.Check], [Store.Reseal], [Compact] and [Dump] are for
// operators, and so is the command in cmd/decorum-bolt. docs/storage.md describes what happens on each fault.
//
// By default, the store holds all objects in memory. With Options.TextBytes, a file can contain more objects than memory.
//
// # The file
//
// The file is a bbolt database with a synced freelist, and mode 0600. A commit of the store is one bbolt transaction:
// bbolt writes the pages and syncs, then writes one of the two meta pages and syncs again. All numbers are big-endian.
//
//	meta      "format"    the name of this layout, "decorum objects 1"
//	          "id"        16 random bytes, new for each file that is created or restored
//	          "state"     last revision, oldest revision of the history, number and bytes of the objects, number and bytes of the
//	                      history: 6 numbers of 8 bytes; checksum
//	forms     resource 00 number (4)
//	                      the fingerprint of the form; checksum. Forms are numbered from 0, in the order in which they were first used
//	objects   a bucket for each resource
//	  namespace 00 name   flags (1), form (4), revision (8), written (8), [length (1) and id of the key], [length (varint) and
//	                      creator], JSON; checksum
//	history   revision (8)
//	                      flags (1), form (4), last revision of the group (8), time (8), time of the write before (8), [length (1) and
//	                      id of the key], resource 00 namespace 00 name 00, JSON before the change; checksum
//
// A checksum is CRC-32C (4 bytes) over the name of the bucket, the key and the value. Flag 1 means that a [Transformer]
// has sealed the JSON. Flag 2 means that the object existed before the change; without it, the change created the
// object. Flag 4 means that the value names the creator of the object. Times are in microseconds since
// 1970. The state after a change is the state before the next change of the same object or, after the last change, the value in objects.
package bolt

// layout is the name of the layout. A file of another format is refused.
const layout = "decorum objects 1"
