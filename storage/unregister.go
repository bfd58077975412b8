package storage

import (
	"context"
	"fmt"
	"slices"
)

// Unregister implements [Store].
func (m *Engine) Unregister(ctx context.Context, resource string, holder Holder) error {
	if err := m.beginRegistering(ctx); err != nil {
		return err
	}
	defer m.endRegistering()
	m.mu.Lock()
	t, closed, last := m.tables[resource], m.closed, m.last
	final := t != nil && !t.dormant && !closed && t.letGo(holder)
	if final {
		t.dormant = true
	}
	m.mu.Unlock()
	if closed {
		return ErrClosed
	}
	if !final {
		return nil
	}
	if last != nil {
		if err := last.wait(ctx); err != nil {
			m.mu.Lock()
			t.hold(holder)
			t.dormant = false
			m.mu.Unlock()
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log.EndResource(resource, unregistered(resource))
	m.past.forget(t, m.revision)
	m.unbookTable(t)
	m.shed(t)
	return nil
}

// hold adds a holder, and drops those that have ended. The caller holds the lock of the engine.
func (t *table) hold(holder Holder) {
	t.holders = append(slices.DeleteFunc(t.holders, func(h Holder) bool { return h == holder || h != nil && h.Ended() }), holder)
}

// letGo drops a holder, and reports whether it was the last one. The caller holds the lock of the engine.
func (t *table) letGo(holder Holder) bool {
	if !slices.Contains(t.holders, holder) {
		return false
	}
	t.hold(holder)
	t.holders = t.holders[:len(t.holders)-1]
	return len(t.holders) == 0
}

// shed frees what an unregistered table does not need. An empty table goes, and with it the scope of the resource. A table with records
// stays, but without the functions of its form, which may hold the whole declaration of the host. Only a replica keeps them, for the
// records that others write. The caller holds the lock.
func (m *Engine) shed(t *table) {
	switch {
	case t.tree.Len() == 0:
		delete(m.tables, t.name)
		if m.replica != nil {
			m.replica.unclaimed.abandon(t.name, m.revision)
		}
	case m.replica == nil:
		t.form = &Resource{Name: t.form.Name, Namespaced: t.form.Namespaced, Indexed: t.form.Indexed, Fingerprint: t.form.Fingerprint}
	}
}

// notRegistered is the error of a call for a resource that is not registered.
func notRegistered(resource string) error {
	return fmt.Errorf("%w: %q is not registered", ErrResource, resource)
}
