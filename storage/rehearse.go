package storage

import (
	"bytes"
	"context"
)

// Rehearser is a [Store] that can tell whether a write would exceed a quota. The API uses it for dry runs.
type Rehearser interface {
	// Rehearse returns the error with which the store's [Ledger] would refuse to replace the current record of an object
	// by the next JSON. It neither changes nor keeps the JSON.
	Rehearse(ctx context.Context, key Key, current *Record, next []byte) error
}

var _ Rehearser = (*Engine)(nil)

// Rehearse implements [Rehearser].
func (e *Engine) Rehearse(ctx context.Context, key Key, current *Record, next []byte) error {
	if e.ledger == nil {
		return nil
	}
	t, err := e.tableOf(key)
	if err != nil {
		return err
	}
	one := []write{{table: t, form: e.formOf(t), key: key, base: current}}
	if err := one[0].prepare(bytes.Clone(next), e.log.Revision()+1); err != nil {
		return err
	}
	claim := e.claim(ctx, one)
	if claim == nil {
		return nil
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	return claim.Check()
}
