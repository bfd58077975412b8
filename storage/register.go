package storage

import (
	"fmt"
	"slices"

	"github.com/tidwall/btree"
)

// Register implements [Store].
func (m *Memory) Register(resource Resource) error {
	if resource.Name == "" || resource.Extract == nil {
		return fmt.Errorf("%w: %q needs a name and an extractor", ErrResource, resource.Name)
	}
	for i, of := range resource.Indexed {
		if of.Field < 0 || of.Label != "" && of.Field != 0 || slices.Contains(resource.Indexed[:i], of) {
			return fmt.Errorf("%w: %q has a wrong index, or one twice", ErrResource, resource.Name)
		}
	}
	resource.Indexed = slices.Clone(resource.Indexed)
	m.mu.Lock()
	t, closed, usedUp := m.tables[resource.Name], m.closed, m.revision >= maxRevision
	known := t != nil && t.form.Fingerprint == resource.Fingerprint && slices.Equal(t.form.Indexed, resource.Indexed)
	if t == nil && !closed && !usedUp {
		m.tables[resource.Name] = &table{name: resource.Name, namespaced: resource.Namespaced, form: &resource, tree: newTree(),
			indexes: newIndexes(resource.Indexed), changed: m.revision, names: newInterner()}
	}
	m.mu.Unlock()
	switch {
	case closed:
		return ErrClosed
	case usedUp:
		return ErrRevision
	case t == nil:
		return nil
	case t.namespaced != resource.Namespaced:
		return fmt.Errorf("%w: %q is registered with another scope", ErrResource, resource.Name)
	case known:
		return nil
	}
	return m.upgrade(t, &resource)
}

func newTree() *btree.BTreeG[*Record] {
	return btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})
}

// upgrade gives the records of a table another form. It prepares them outside the lock, again where one has changed
// meanwhile, and drops the history, which is of the old form.
func (m *Memory) upgrade(t *table, form *Resource) error {
	upgraded := map[*Record]*Record{}
	for {
		s, _, err := m.latest(t, nil)
		if err != nil {
			return err
		}
		tree, indexes := newTree(), newIndexes(form.Indexed)
		var grown int64
		s.tree.Scan(func(r *Record) bool {
			next := upgraded[r]
			if next == nil {
				if next, err = r.upgrade(form); err != nil {
					err = fmt.Errorf("%s %s/%s: %w", r.Key.Resource, r.Key.Namespace, r.Key.Name, err)
					return false
				}
				upgraded[r] = next
			}
			tree.Set(next)
			for _, i := range indexes {
				i.replace(nil, next)
			}
			grown += next.size() - r.size()
			return true
		})
		if err != nil {
			return err
		}
		if m.replace(t, s, &table{form: form, tree: tree, indexes: indexes}, grown) {
			return nil
		}
	}
}

// replace gives a table another form and its records, in the place of those of a snapshot, if it is still the latest.
func (m *Memory) replace(t *table, s *snapshot, next *table, grown int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.latest != s {
		return false
	}
	t.form, t.tree, t.indexes, t.latest, t.changed = next.form, next.tree, next.indexes, nil, m.revision
	m.live.Add(grown)
	if t.tree.Len() > 0 {
		m.log.Compact(m.revision)
		m.past.forget(m.log.Compacted())
	}
	return true
}

// upgrade returns the record in another form, at the same revision.
func (r *Record) upgrade(form *Resource) (*Record, error) {
	next := &Record{Key: r.Key, Revision: r.Revision, JSON: r.JSON}
	var err error
	if form.Upgrade != nil {
		if next.JSON, err = form.Upgrade(r.JSON); err != nil {
			return nil, err
		}
	}
	if next.Parts, err = form.Extract(next.JSON); err != nil {
		return nil, err
	}
	if err := next.Parts.check(next.JSON); err != nil {
		return nil, err
	}
	if text := next.JSON[next.Version.Start:next.Version.End]; string(text) != string(r.JSON[r.Version.Start:r.Version.End]) {
		return nil, fmt.Errorf("%w: its upgrade has the resourceVersion %q", ErrJSON, text)
	}
	return next, nil
}
