package storage

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/watch"
)

// commit makes prepared writes durable and then visible together. It does nothing and returns done == false if the record of any key has
// changed since the update function saw it, or if its resource was registered again. It returns the first revision of the group, or the
// next revision if no write changes anything.
//
// commit takes three steps: assign checks preconditions and assigns revisions, the backend makes the group durable, and publish shows it to
// readers. A store in memory skips the second step. If a group changes nothing, commit waits until the records that its update function saw
// are durable.
func (m *Engine) commit(ctx context.Context, writes []write) (first watch.Revision, done bool, err error) {
	now := m.opts.Now()
	claim := m.claim(ctx, writes)
	if m.replica != nil {
		return m.propose(ctx, writes, claim, now)
	}
	m.mu.Lock()
	if wait := m.pausedBy(writes); wait != nil {
		m.mu.Unlock()
		select {
		case <-wait:
			return 0, false, nil
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
	}
	group, ok, err := m.assign(writes, claim, now.UnixMicro())
	if !ok {
		last := m.last
		m.mu.Unlock()
		return 0, false, m.refusal(ctx, last, err)
	}
	first = m.assigned + 1
	switch {
	case len(group) == 0:
		m.mu.Unlock()
		return first, true, m.settled(ctx, writes)
	case m.backend == nil:
		m.assigned = group[len(group)-1].Revision
		err = m.publish(group, writes, m.assigned)
		m.mu.Unlock()
		return first, err == nil, err
	default:
		err = m.enqueue(ctx, group, writes, now) // unlocks
		return first, err == nil, err
	}
}

// refusal returns the error of a group that was not assigned. Pending groups may have used up a quota. A client must not learn of them
// until they are durable.
func (m *Engine) refusal(ctx context.Context, last *pending, err error) error {
	if _, ok := errors.AsType[*Exceeded](err); !ok || last == nil {
		return err
	}
	if err := last.wait(ctx); err != nil {
		return err
	}
	if last.err != nil {
		return m.Ready()
	}
	return err
}

// assign checks the preconditions and the quotas, and writes the revision and the time into each changed record. It returns false without
// an error if a precondition does not hold. The caller holds m.mu.
func (m *Engine) assign(writes []write, claim Claim, now int64) (group []watch.Change[Record], ok bool, err error) {
	if m.closed {
		return nil, false, ErrClosed
	}
	if m.assigned+watch.Revision(len(writes)) > maxRevision {
		return nil, false, ErrRevision
	}
	count := 0
	for i := range writes {
		w := &writes[i]
		if w.table.dormant {
			return nil, false, notRegistered(w.table.name)
		}
		if base, _ := m.next(w.table, w.key); w.table.form != w.form || base != w.base {
			return nil, false, nil
		}
		if w.changes {
			count++
		}
	}
	if count == 0 {
		return nil, true, nil
	}
	if err := m.refuse(writes); err != nil {
		return nil, false, err
	}
	if claim != nil {
		if err := claim.Check(); err != nil {
			return nil, false, err
		}
	}
	group = make([]watch.Change[Record], 0, count)
	for i := range writes {
		w := &writes[i]
		if !w.changes {
			continue
		}
		revision := m.assigned + watch.Revision(len(group)) + 1
		record := w.base
		if w.next != nil {
			w.next.stamp(revision)
			w.next.Written = now
			record = w.next
		}
		group = append(group, watch.Change[Record]{Scope: record.Key, Revision: revision, Previous: w.base, Current: w.next})
	}
	m.book(writes)
	return group, true, nil
}

// refuse returns an error if the store must refuse a group. The caller holds m.mu.
func (m *Engine) refuse(writes []write) error {
	if m.backend == nil {
		return nil
	}
	if m.readOnly != nil {
		return m.readOnly
	}
	grown := int64(0)
	for i := range writes {
		w := &writes[i]
		if !w.changes {
			continue
		}
		grown += w.grown
		if form, ok := w.table.newer[w.key]; ok && !m.opts.OverwriteNewer {
			return newerForm(form)
		}
	}
	if limiter, ok := m.backend.(Limiter); ok && grown > 0 {
		if err := limiter.Room(grown); err != nil {
			return ReadOnly(err)
		}
	}
	return nil
}

// newerForm is the error of a write that would lose what a newer program has stored.
func newerForm(form string) error {
	return ReadOnly(fmt.Errorf("the object was stored in the newer form %q, which this program does not know", form))
}

// publish makes a group visible to readers and watchers. It ends at revision last. The caller holds m.mu.
func (m *Engine) publish(group []watch.Change[Record], writes []write, last watch.Revision) error {
	before := m.revision
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
		if t.newer != nil {
			delete(t.newer, w.key)
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
	if m.log.Revision() < last { // the group ends with changes of resources that are not served
		return m.log.Advance(last)
	}
	return nil
}

// pausedBy returns nil, or, if an upgrade pauses commits to one of the tables, a channel that is closed when the pause ends. The caller
// holds m.mu.
func (m *Engine) pausedBy(writes []write) <-chan struct{} {
	for i := range writes {
		if wait := writes[i].table.paused; wait != nil {
			return wait
		}
	}
	return nil
}
