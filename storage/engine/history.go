package engine

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// undoStep is how many changes are undone between two checks of the request's context.
const undoStep = 1024

// latest returns the latest state of a resource, with the index that a term uses, and the store's revision at that
// moment.
func (o *objects) latest(t *table, by *watch.Term) (*snapshot, watch.Revision, error) {
	o.mu.RLock()
	s, revision, closed, gone := t.latest, o.revision, o.closed, o.tables[t.name] != t
	o.mu.RUnlock()
	switch {
	case closed:
		return nil, 0, storage.ErrClosed
	case gone: // a list of this revision must not come from a table that lacks what its successor has
		return nil, 0, notRegistered(t.name)
	}
	if s != nil && !s.lacks(by) {
		return s, revision, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tables[t.name] != t {
		return nil, 0, notRegistered(t.name)
	}
	if t.latest == nil {
		t.latest = newSnapshot(t, t.tree.Copy(), t.form.Indexed, t.changed, 0)
	}
	if t.latest.lacks(by) {
		t.latest.slot(by).Store(t.index(by.Index).tree.Copy())
	}
	return t.latest, o.revision, nil
}

// at returns the state of a resource, with the index that a term uses, at a revision that the store has reached.
func (o *objects) at(ctx context.Context, t *table, revision watch.Revision, by *watch.Term) (*snapshot, error) {
	latest, _, err := o.latest(t, by)
	if err != nil {
		return nil, err
	}
	if revision < o.log.Floor(watch.Key{Resource: t.name}) {
		return nil, tooOld()
	}
	if revision >= latest.from {
		return latest, nil
	}
	if s := o.past.find(t, revision); s != nil && !s.lacks(by) {
		return s, nil
	}
	if err := t.builder.begin(ctx); err != nil {
		return nil, err
	}
	defer t.builder.end()
	s := o.past.find(t, revision) // another request may have built it while this one waited
	if s == nil {
		if s, err = o.undo(ctx, o.past.nextAfter(t, revision, latest), revision); err != nil {
			return nil, err
		}
	}
	if s.lacks(by) {
		if err = o.undoIndex(ctx, latest, s, by); err != nil {
			return nil, err
		}
	}
	o.past.keep(s)
	o.past.forget(t, o.log.Floor(watch.Key{Resource: t.name})) // the floor may have passed s while it was built
	return s, nil
}

// undo builds an older state from a younger one. The caller has the table's turn to build.
func (o *objects) undo(ctx context.Context, younger *snapshot, revision watch.Revision) (*snapshot, error) {
	s := newSnapshot(younger.table, younger.tree.Copy(), younger.indexed, revision, younger.from)
	err := o.eachUndone(ctx, younger, revision, func(c *watch.Change[storage.Record]) {
		if c.Previous != nil {
			s.tree.Set(c.Previous)
		} else {
			s.tree.Delete(c.Current)
		}
		s.to = c.Revision - 1
	})
	return s, err
}

// undoIndex builds the index that a term uses for an older state, from the same index of a younger state. The caller
// has the table's turn to build.
func (o *objects) undoIndex(ctx context.Context, younger, s *snapshot, by *watch.Term) error {
	from := younger.slot(by)
	if from == nil { // the resource was registered again without the index
		return nil
	}
	i := index{by.Index, from.Load().Copy()}
	err := o.eachUndone(ctx, younger, s.to, func(c *watch.Change[storage.Record]) { i.replace(c.Current, c.Previous) })
	if err == nil {
		s.slot(by).Store(i.tree)
	}
	return err
}

// eachUndone calls undo for the changes between a revision and a younger state, last change first.
func (o *objects) eachUndone(ctx context.Context, younger *snapshot, revision watch.Revision,
	undo func(*watch.Change[storage.Record])) error {
	changes, err := o.log.Since(watch.Key{Resource: younger.table.name}, revision)
	if status.IsExpired(err) {
		return tooOld()
	}
	if err != nil {
		return err
	}
	for i, c := range slices.Backward(changes) {
		if i%undoStep == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if c.Revision <= younger.from {
			undo(c)
		}
	}
	return nil
}

// tooOld returns the Status that kube-apiserver returns for a list at a compacted revision.
func tooOld() error {
	return status.Expired("The resourceVersion for the provided list is too old.")
}
