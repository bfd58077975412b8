package engine

import (
	"bytes"
	"context"

	"github.com/decorum-go/decorum/storage"
)

var _ storage.Rehearser = (*Engine)(nil)

// Rehearse implements [storage.Rehearser].
func (e *Engine) Rehearse(ctx context.Context, key storage.Key, current *storage.Record, next []byte) error {
	if e.ledger == nil {
		return nil
	}
	t, err := e.tableOf(key)
	if err != nil {
		return err
	}
	one := []write{{table: t, form: e.formOf(t), key: key, base: current}}
	if err := one[0].prepare(ctx, bytes.Clone(next), e.log.Revision()+1); err != nil {
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
