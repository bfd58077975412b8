package storage

import (
	"context"
	"slices"
)

// ResourcesIn implements [Store]. It looks for the records of a resource in memory if the engine has loaded them, and otherwise asks the
// backend.
func (m *Engine) ResourcesIn(ctx context.Context, namespace string) ([]string, error) {
	if err := m.await(ctx, MostRecent); err != nil {
		return nil, err
	}
	loaded, err := m.loadedNames()
	if err != nil {
		return nil, err
	}
	isLoaded := func(resource string) bool { return loaded[resource] }
	var all []string
	switch {
	case m.replica != nil:
		all, err = m.replica.authority.ResourcesIn(ctx, namespace, isLoaded)
	case m.backend != nil:
		if err := m.beginRegistering(ctx); err != nil { // or the backend might be closed meanwhile
			return nil, err
		}
		defer m.endRegistering()
		all, err = m.backend.ResourcesIn(ctx, namespace, isLoaded)
	}
	if err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	for name, t := range m.tables {
		if t.hasIn(namespace) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// loadedNames returns the names of the resources whose records the engine holds in memory.
func (m *Engine) loadedNames() (map[string]bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	loaded := make(map[string]bool, len(m.tables))
	for name := range m.tables {
		loaded[name] = true
	}
	return loaded, nil
}

// hasIn reports whether the table has a record in a namespace, or any record if the namespace is empty. It counts records that the engine
// cannot read. The caller holds the engine's lock.
func (t *table) hasIn(namespace string) (found bool) {
	if namespace == "" {
		return t.tree.Len()+len(t.bad) > 0
	}
	t.tree.Ascend(&Record{Key: Key{Namespace: namespace}}, func(r *Record) bool {
		found = r.Key.Namespace == namespace
		return false
	})
	for key := range t.bad {
		found = found || key.Namespace == namespace
	}
	return found
}
