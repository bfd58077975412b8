// Package shard reads the parameter shardSelector, with which a client asks for a part of the objects: those of which
// the hash of a field is in a range (KEP-5866).
package shard
