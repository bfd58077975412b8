// Package bolt keeps the objects of a [storage.Store] in one file, by go.etcd.io/bbolt. A host that starts in memory moves to a file by
// changing one line:
//
//	store, err := bolt.Open(ctx, bolt.Options{Path: "objects.db"})
//
// Every acknowledged write is on disk before its response, and before any reader or watcher sees it. Writers that wait share a sync. When a
// write or a sync fails, the store takes no writes until it is closed and opened again; reads and watches go on. [Store.Stats],
// [Store.Backup], [Store.Check], [Store.Reseal] and [Compact] are for those who run it. docs/storage.md tells what happens on each fault.
//
// # The file
//
// The file is a bbolt database with a synced freelist, and mode 0600. A commit of the store is one bbolt transaction: its pages are written
// and synced, then one of the two meta pages is written and synced. All numbers are big-endian.
//
//	meta      "format"    the name of this layout, [Format]
//	          "id"        16 random bytes, new for each file that is created or restored
//	          "state"     last revision, oldest revision of the history, number and bytes of the objects, number and bytes of the
//	                      history: 6 numbers of 8 bytes; checksum
//	forms     resource 00 number (4)
//	                      the fingerprint of the form; checksum. Forms are numbered from 0, in the order in which they were first used
//	objects   a bucket for each resource
//	  namespace 00 name   flags (1), form (4), revision (8), written (8), [length (1) and id of the key], JSON; checksum
//	history   revision (8)
//	                      flags (1), form (4), last revision of the group (8), time (8), time of the write before (8), [length (1) and
//	                      id of the key], resource 00 namespace 00 name 00, JSON before the change; checksum
//
// A checksum is CRC-32C (4 bytes) over the name of the bucket, the key and the value. Flag 1 says that the JSON is sealed by a
// [Transformer], flag 2 that a change has a state before it: without it the change created the object. Times are in microseconds since 1970.
// The state after a change is the state before the next change of the same object or, if there is none, what objects holds.
package bolt

// Format is the name of the layout. A file of another format is refused.
const Format = "decorum objects 1"
