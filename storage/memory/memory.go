// Package memory has a store that keeps objects in memory only, for tests and for hosts whose objects may end with
// the process.
package memory

import (
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
)

// Store is a [storage.Store] that keeps objects in memory only.
type Store struct{ *engine.Engine }

var (
	_ storage.Store      = (*Store)(nil)
	_ storage.Prober     = (*Store)(nil)
	_ storage.Transactor = (*Store)(nil)
	_ storage.Reporter   = (*Store)(nil)
	_ storage.Rehearser  = (*Store)(nil)
)

// New returns an empty store. The caller must close it, after the API.
func New(opts storage.Options) *Store { return &Store{engine.New(opts)} }
