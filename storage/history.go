package storage

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// pastSnapshots is how many older states are remembered. Each holds at most the nodes of its tree; the records in it are those of the latest
// state and of the log.
const pastSnapshots = 8

// undoStep is after how many undone changes a request's context is looked at.
const undoStep = 1024

// snapshot is the state of one resource from one revision to another, both included. Nobody changes its trees.
type snapshot struct {
	table    *table
	tree     *btree.BTreeG[*Record]
	indexed  []watch.Index
	indexes  []slot
	from, to watch.Revision // to is not set while the snapshot is the latest
	paged    atomic.Bool    // somebody will likely ask for more of it
}

// slot is for the tree of an index, which a snapshot has from when it is first asked for.
type slot struct {
	atomic.Pointer[btree.BTreeG[indexed]]
}

func newSnapshot(t *table, tree *btree.BTreeG[*Record], indexed []watch.Index, from, to watch.Revision) *snapshot {
	return &snapshot{table: t, tree: tree, indexed: indexed, indexes: make([]slot, len(indexed)), from: from, to: to}
}

// slot returns the place of the index that a term is about; nil where there is no such term or index.
func (s *snapshot) slot(by *watch.Term) *slot {
	if by != nil {
		if i := slices.Index(s.indexed, by.Index); i >= 0 {
			return &s.indexes[i]
		}
	}
	return nil
}

// lacks reports whether the snapshot could have the index that a term is about, but has it not yet.
func (s *snapshot) lacks(by *watch.Term) bool {
	o := s.slot(by)
	return o != nil && o.Load() == nil
}

// past remembers a few snapshots that are no longer the latest, the last used first.
type past struct {
	building sync.Mutex // held while a state is built, so that many who ask for the same one wait for it instead

	mu        sync.Mutex
	snapshots []*snapshot
}

// latest returns the state of a resource, with the index that a term is about, and the store's revision at that moment.
func (m *Memory) latest(t *table, by *watch.Term) (*snapshot, watch.Revision, error) {
	m.mu.RLock()
	s, revision, closed := t.latest, m.revision, m.closed
	m.mu.RUnlock()
	if closed {
		return nil, 0, ErrClosed
	}
	if s != nil && !s.lacks(by) {
		return s, revision, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.latest == nil {
		t.latest = newSnapshot(t, t.tree.Copy(), t.form.Indexed, t.changed, 0)
	}
	if t.latest.lacks(by) {
		t.latest.slot(by).Store(t.index(by.Index).tree.Copy())
	}
	return t.latest, m.revision, nil
}

// at returns the state of a resource at a revision that the store has reached, with the index that a
// term is about.
func (m *Memory) at(ctx context.Context, t *table, revision watch.Revision, by *watch.Term) (*snapshot, error) {
	latest, _, err := m.latest(t, by)
	if err != nil {
		return nil, err
	}
	if revision < m.log.Floor(watch.Scope{Resource: t.name}) {
		return nil, tooOld()
	}
	if revision >= latest.from {
		return latest, nil
	}
	if s := m.past.find(t, revision); s != nil && !s.lacks(by) {
		return s, nil
	}
	m.past.building.Lock()
	defer m.past.building.Unlock()
	s := m.past.find(t, revision)
	if s == nil {
		if s, err = m.undo(ctx, m.past.nextAfter(t, revision, latest), revision); err != nil {
			return nil, err
		}
		m.past.add(s)
		m.past.forget(t, m.log.Floor(watch.Scope{Resource: t.name})) // which may have passed it while it was built
	}
	if s.lacks(by) {
		err = m.undoIndex(ctx, latest, s, by)
	}
	return s, err
}

// undo builds an older state from a younger one. Only it and undoIndex copy snapshots, one at a time: copying writes to the source.
func (m *Memory) undo(ctx context.Context, younger *snapshot, revision watch.Revision) (*snapshot, error) {
	s := newSnapshot(younger.table, younger.tree.Copy(), younger.indexed, revision, younger.from)
	err := m.eachUndone(ctx, younger, revision, func(c *watch.Change[Record]) {
		if c.Previous != nil {
			s.tree.Set(c.Previous)
		} else {
			s.tree.Delete(c.Current)
		}
		s.to = c.Revision - 1
	})
	return s, err
}

// undoIndex gives an older state the index that a term is about, from that of a younger one.
func (m *Memory) undoIndex(ctx context.Context, younger, s *snapshot, by *watch.Term) error {
	from := younger.slot(by)
	if from == nil { // the resource was registered anew meanwhile
		return nil
	}
	i := index{by.Index, from.Load().Copy()}
	err := m.eachUndone(ctx, younger, s.to, func(c *watch.Change[Record]) { i.replace(c.Current, c.Previous) })
	if err == nil {
		s.slot(by).Store(i.tree)
	}
	return err
}

// eachUndone calls undo for the changes that lie between a revision and a younger state, the last one first.
func (m *Memory) eachUndone(ctx context.Context, younger *snapshot, revision watch.Revision, undo func(*watch.Change[Record])) error {
	changes, err := m.log.Since(watch.Scope{Resource: younger.table.name}, revision)
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

// tooOld is what upstream answers to a list at a compacted revision.
func tooOld() error {
	return status.Expired("The resourceVersion for the provided list is too old.")
}

func (p *past) find(t *table, revision watch.Revision) *snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range p.snapshots {
		if s.table == t && s.from <= revision && revision <= s.to {
			copy(p.snapshots[1:i+1], p.snapshots[:i])
			p.snapshots[0] = s
			return s
		}
	}
	return nil
}

// nextAfter returns the state that is closest to a revision among those younger than it.
func (p *past) nextAfter(t *table, revision watch.Revision, latest *snapshot) *snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	closest := latest
	for _, s := range p.snapshots {
		if s.table == t && revision < s.from && s.from < closest.from {
			closest = s
		}
	}
	return closest
}

// keep remembers a state that ceases to be the latest, if that is worth it.
func (p *past) keep(s *snapshot, to watch.Revision) {
	s.to = to
	if s.paged.Load() {
		p.add(s)
	}
}

func (p *past) add(s *snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.snapshots) >= pastSnapshots {
		p.snapshots = slices.Delete(p.snapshots, pastSnapshots-1, len(p.snapshots))
	}
	p.snapshots = slices.Insert(p.snapshots, 0, s)
}

// forget drops the states of a table, or with nil of all, that can no longer be asked for, so that they hold no record that the log has dropped.
func (p *past) forget(t *table, floor watch.Revision) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.snapshots = slices.DeleteFunc(p.snapshots, func(s *snapshot) bool { return s.to < floor && (t == nil || s.table == t) })
}
