package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/storage"
)

// Unregister implements [storage.Store].
func (e *Engine) Unregister(ctx context.Context, resource string, holder storage.Holder) error {
	if err := e.beginRegistering(ctx); err != nil {
		return err
	}
	defer e.endRegistering()
	t, err := e.letGo(resource, holder)
	if t == nil || err != nil {
		return err
	}
	if err := e.awaitPending(ctx, t); err != nil {
		e.holdAgain(t, holder)
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.log.EndResource(storage.Key{Resource: resource}, storage.Unregistered(resource))
	e.past.forget(t, e.revision)
	e.unbookTable(t)
	e.committer.shed(t)
	return nil
}

// letGo drops a holder of a resource. If it was the last one, letGo returns the table, which is dormant from then on.
func (o *objects) letGo(resource string, holder storage.Holder) (*table, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.tables[resource]
	switch {
	case o.closed:
		return nil, storage.ErrClosed
	case t == nil || t.dormant || !t.letGo(holder):
		return nil, nil
	}
	t.dormant = true
	return t, nil
}

// holdAgain undoes letGo.
func (o *objects) holdAgain(t *table, holder storage.Holder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t.hold(holder)
	t.dormant = false
}

// hold adds a holder, and drops those that have ended. The caller holds the lock of the objects.
func (t *table) hold(holder storage.Holder) {
	t.holders = append(
		slices.DeleteFunc(t.holders, func(h storage.Holder) bool { return h == holder || h != nil && h.Ended() }),
		holder)
}

// letGo drops a holder, and reports whether it was the last one. The caller holds the lock of the objects.
func (t *table) letGo(holder storage.Holder) bool {
	if !slices.Contains(t.holders, holder) {
		return false
	}
	t.hold(holder)
	t.holders = t.holders[:len(t.holders)-1]
	return len(t.holders) == 0
}

// notRegistered is the error of a call for a resource that is not registered.
func notRegistered(resource string) error {
	return fmt.Errorf("%w: %q is not registered", storage.ErrResource, resource)
}
