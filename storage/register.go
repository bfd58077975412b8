package storage

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/tidwall/btree"
)

// Register implements [Store].
func (m *Engine) Register(ctx context.Context, resource Resource) error {
	if err := resource.check(); err != nil {
		return err
	}
	resource.Indexed = slices.Clone(resource.Indexed)
	if err := m.beginRegistering(ctx); err != nil {
		return err
	}
	defer m.endRegistering()
	m.mu.RLock()
	t, closed, usedUp := m.tables[resource.Name], m.closed, m.assigned >= maxRevision
	m.mu.RUnlock()
	switch {
	case closed:
		return ErrClosed
	case usedUp:
		return ErrRevision
	case t == nil:
		return m.load(ctx, &resource)
	case t.namespaced != resource.Namespaced:
		return fmt.Errorf("%w: %q is registered with another scope", ErrResource, resource.Name)
	}
	if form := m.formOf(t); form.Fingerprint != resource.Fingerprint || !slices.Equal(form.Indexed, resource.Indexed) {
		if err := m.upgrade(ctx, t, &resource); err != nil {
			return err
		}
	} else if form.Declaration != resource.Declaration {
		if err := m.repeatWrites(ctx, t, &resource); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t.hold(resource.Holder)
	m.bookTable(t)
	if t.dormant {
		t.form, t.dormant = &resource, false // Unregister has stripped the form
		if m.replica != nil {                // the log does not have what other replicas have written meanwhile
			m.log.CompactResource(t.name, m.revision)
		}
	}
	return nil
}

// beginRegistering waits until no other resource is being registered.
func (m *Engine) beginRegistering(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case m.registering <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Engine) endRegistering() { <-m.registering }

// check validates the declaration of a resource.
func (r *Resource) check() error {
	if r.Name == "" || r.Extract == nil {
		return fmt.Errorf("%w: %q needs a name and an extractor", ErrResource, r.Name)
	}
	for i, of := range r.Indexed {
		if of.Field < 0 || of.Label != "" && of.Field != 0 || slices.Contains(r.Indexed[:i], of) {
			return fmt.Errorf("%w: %q has an invalid or duplicate index", ErrResource, r.Name)
		}
	}
	return nil
}

func newTable(form *Resource) *table {
	return &table{name: form.Name, namespaced: form.Namespaced, form: form, holders: []Holder{form.Holder}, tree: newTree(),
		indexes: newIndexes(form.Indexed), names: newInterner(), builder: newBuilder(), proposals: &sync.WaitGroup{}}
}

func newTree() *btree.BTreeG[*Record] {
	return btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})
}

func (m *Engine) formOf(t *table) *Resource {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return t.form
}

// in converts the record to another form, at the same revision.
func (r *Record) in(form *Resource) (*Record, error) {
	json := r.JSON
	var err error
	if form.Upgrade != nil {
		if json, err = form.Upgrade(json); err != nil {
			return nil, err
		}
	}
	next := *r
	return &next, next.extract(json, form)
}

// extract sets the JSON of the record, and extracts its parts. The resourceVersion in the JSON must
// be that of the record.
func (r *Record) extract(json []byte, form *Resource) (err error) {
	r.JSON = json
	if r.Parts, err = form.Extract(json); err != nil {
		return err
	}
	if err := r.Parts.check(json); err != nil {
		return err
	}
	if text := json[r.Version.Start:r.Version.End]; string(text) != strconv.FormatUint(uint64(r.Revision), 10) {
		return fmt.Errorf("%w: the resourceVersion is %q, but the record has revision %d", ErrJSON, text, r.Revision)
	}
	return nil
}

// aboutKey adds the key of a record to an error.
func aboutKey(key Key, err error) error {
	return fmt.Errorf("%s %s/%s: %w", key.Resource, key.Namespace, key.Name, err)
}
