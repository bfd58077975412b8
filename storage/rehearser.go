package storage

import "context"

// Rehearser is a [Store] that can tell whether a write would exceed a quota. The API uses it for dry runs.
type Rehearser interface {
	// Rehearse returns the error with which the store's [Ledger] would refuse to replace the current record of an object
	// by the next JSON. It neither changes nor keeps the JSON.
	Rehearse(ctx context.Context, key Key, current *Record, next []byte) error
}
