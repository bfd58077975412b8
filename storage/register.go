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
			return fmt.Errorf("%w: %q has an invalid or duplicate index", ErrResource, resource.Name)
		}
	}
	resource.Indexed = slices.Clone(resource.Indexed)
	m.mu.Lock()
	t, closed, usedUp := m.tables[resource.Name], m.closed, m.revision >= maxRevision
	known := t != nil && t.form.Fingerprint == resource.Fingerprint && slices.Equal(t.form.Indexed, resource.Indexed)
	if t == nil && !closed && !usedUp {
		m.tables[resource.Name] = &table{name: resource.Name, namespaced: resource.Namespaced, form: &resource, tree: newTree(),
			indexes: newIndexes(resource.Indexed), changed: m.revision, names: newInterner(), builder: newBuilder()}
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

// upgrade gives a table another form or other indexes. It prepares them outside the lock, and repeats this for the records that have
// changed meanwhile.
func (m *Memory) upgrade(t *table, form *Resource) error {
	upgraded := map[*Record]*Record{}
	for {
		s, _, err := m.latest(t, nil)
		if err != nil {
			return err
		}
		next := &table{form: form, indexes: newIndexes(form.Indexed)}
		if m.formOf(t).Fingerprint != form.Fingerprint {
			next.tree = newTree()
		}
		var grown int64
		s.tree.Scan(func(r *Record) bool {
			record := r
			if next.tree != nil {
				if record = upgraded[r]; record == nil {
					if record, err = r.upgrade(form); err != nil {
						err = fmt.Errorf("%s %s/%s: %w", r.Key.Resource, r.Key.Namespace, r.Key.Name, err)
						return false
					}
					upgraded[r] = record
				}
				next.tree.Set(record)
				grown += record.size() - r.size()
			}
			for _, i := range next.indexes {
				i.replace(nil, record)
			}
			return true
		})
		if err != nil {
			return err
		}
		if m.replace(t, s, next, grown) {
			return nil
		}
	}
}

func (m *Memory) formOf(t *table) *Resource {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return t.form
}

// replace installs another form, its indexes and, if next has a tree, the upgraded records, provided that the snapshot they were made from
// is still the latest. The history holds records of one form only, so upgraded records end it.
func (m *Memory) replace(t *table, s *snapshot, next *table, grown int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.latest != s {
		return false
	}
	t.form, t.indexes, t.latest = next.form, next.indexes, nil
	if next.tree == nil {
		return true
	}
	t.tree, t.changed = next.tree, m.revision
	m.live.Add(grown)
	m.log.CompactResource(t.name, m.revision)
	m.past.forget(t, m.revision)
	return true
}

// upgrade returns the record in another form, at the same revision and time.
func (r *Record) upgrade(form *Resource) (*Record, error) {
	next := &Record{Key: r.Key, Revision: r.Revision, Written: r.Written, JSON: r.JSON}
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
		return nil, fmt.Errorf("%w: Upgrade changed the resourceVersion to %q", ErrJSON, text)
	}
	return next, nil
}
