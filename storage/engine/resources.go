package engine

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/storage"
)

// ResourcesIn implements [storage.Store]. It looks for the records of a resource in memory if the engine has loaded
// them, and otherwise asks its committer.
func (e *Engine) ResourcesIn(ctx context.Context, namespace string) ([]string, error) {
	if err := e.await(ctx, storage.MostRecent); err != nil {
		return nil, err
	}
	loaded, err := e.loadedNames()
	if err != nil {
		return nil, err
	}
	all, err := e.committer.resourcesIn(ctx, namespace, func(resource string) bool { return loaded[resource] })
	if err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, storage.ErrClosed
	}
	for name, t := range e.tables {
		if t.hasIn(namespace) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// loadedNames returns the names of the resources whose records the engine holds in memory.
func (o *objects) loadedNames() (map[string]bool, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	if o.closed {
		return nil, storage.ErrClosed
	}
	loaded := make(map[string]bool, len(o.tables))
	for name := range o.tables {
		loaded[name] = true
	}
	return loaded, nil
}

// hasIn reports whether the table has a record in a namespace, or any record if the namespace is empty. It counts
// records that the engine cannot read. The caller holds the engine's lock.
func (t *table) hasIn(namespace string) (found bool) {
	if namespace == "" {
		return t.tree.Len()+len(t.bad) > 0
	}
	t.tree.Ascend(&storage.Record{Key: storage.Key{Namespace: namespace}}, func(r *storage.Record) bool {
		found = r.Key.Namespace == namespace
		return false
	})
	for key := range t.bad {
		found = found || key.Namespace == namespace
	}
	return found
}
