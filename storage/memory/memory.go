// Package memory has a store that keeps objects in memory only, for tests and for hosts whose objects may end with
// the process.
package memory

import (
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
)

// New returns an empty store that keeps objects in memory only. The caller must close it.
func New(opts storage.Options) *engine.Engine { return engine.New(opts) }
