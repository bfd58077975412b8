// Package engine is for authors of stores. An [Engine] keeps all objects of a store in memory, answers every read and
// every watch, and leaves only the durability of commits to the author. Hosts need storage/memory, storage/bolt,
// storage/etcd or storage/postgres instead. This package may change until v1.1.
//
// There are two ways to make commits durable. The tests of package storage/storagetest check whether the store keeps
// its contract.
//
//   - A [Backend] makes the writes of one process durable ([Open]). The engine orders the writes. Package storage/bolt
//     has one.
//   - An [Authority] orders the writes of many processes, and assigns the revisions ([OpenReplica]). Each process has
//     an engine that follows it. Packages storage/etcd and storage/postgres have one. [Forms] implements a part of it.
//
// [New] returns an engine without either, which keeps objects in memory only.
package engine
