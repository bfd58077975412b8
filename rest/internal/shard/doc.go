// Package shard reads the parameter shardSelector, which selects the objects whose uid or namespace has a hash in a
// range (KEP-5866).
package shard
