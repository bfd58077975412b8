package storage

import "github.com/decorum-go/decorum/watch"

// commit makes prepared writes visible together. It does nothing and returns done == false if any key has another record than the one the
// update function saw, or if its table was registered anew. It returns the first revision of the group, or the next one if no write changes
// anything.
//
// commit takes two steps, assign and publish, because a durable engine persists the group between them: revisions and preconditions are
// decided before that, and readers see the group only afterwards.
func (m *Memory) commit(writes []write) (first watch.Revision, done bool, err error) {
	now := m.now().UnixMicro()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, false, ErrClosed
	}
	if m.revision+watch.Revision(len(writes)) > maxRevision {
		return 0, false, ErrRevision
	}
	group, ok := m.assign(writes, now)
	if !ok {
		return 0, false, nil
	}
	first = m.revision + 1
	if len(group) > 0 {
		err = m.publish(group, writes)
	}
	return first, err == nil, err
}

// assign checks the preconditions and writes its revision and the time into each changed record. The caller holds m.mu.
func (m *Memory) assign(writes []write, now int64) (group []watch.Change[Record], ok bool) {
	count := 0
	for i := range writes {
		w := &writes[i]
		if w.table.form != w.form || m.find(w.table, w.key) != w.base {
			return nil, false
		}
		if w.changes {
			count++
		}
	}
	if count == 0 {
		return nil, true
	}
	group = make([]watch.Change[Record], 0, count)
	for i := range writes {
		w := &writes[i]
		if !w.changes {
			continue
		}
		revision := m.revision + watch.Revision(len(group)) + 1
		record := w.base
		if w.next != nil {
			w.next.stamp(revision)
			w.next.Written = now
			record = w.next
		}
		group = append(group, watch.Change[Record]{Scope: record.Key, Revision: revision, Previous: w.base, Current: w.next})
	}
	return group, true
}

// publish makes a group visible to readers and watchers. The caller holds m.mu.
func (m *Memory) publish(group []watch.Change[Record], writes []write) error {
	before, last := m.revision, group[len(group)-1].Revision
	for i := range writes {
		w := &writes[i]
		if !w.changes {
			continue
		}
		t := w.table
		if t.latest != nil {
			m.past.retire(t.latest, before)
			t.latest = nil
		}
		t.changed = last
		m.live.Add(w.grown)
		if w.next != nil {
			t.tree.Set(w.next)
		} else {
			t.tree.Delete(w.base)
		}
		for _, i := range t.indexes {
			i.replace(w.base, w.next)
		}
	}
	m.revision = last
	if err := m.log.Append(group); err != nil {
		return err
	}
	m.past.forget(nil, m.log.Compacted())
	return nil
}
