package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// A committer commits a group in steps: examine checks the preconditions, assign writes the revisions into the records,
// and publish shows them to readers. The committer of a durable store makes the group durable before publish. That of a
// replica leaves assign to the authority.

// next returns the record that a key will have once all assigned groups are published, and the pending group that
// writes it, or nil if the record is already published. The caller holds the lock.
func (o *objects) next(t *table, key storage.Key) (*storage.Record, *pending) {
	if len(t.ahead) > 0 {
		if a, ok := t.ahead[key]; ok {
			return a.record, a.by
		}
	}
	return o.find(t, key), nil
}

// examine checks the preconditions of a group whose revisions would follow assigned, and counts its changes. It returns
// false without an error if a precondition does not hold. The caller holds the lock.
func (o *objects) examine(writes []write, assigned watch.Revision) (changes int, ok bool, err error) {
	if o.closed {
		return 0, false, storage.ErrClosed
	}
	if assigned+watch.Revision(len(writes)) > maxRevision {
		return 0, false, storage.ErrRevision
	}
	for i := range writes {
		w := &writes[i]
		if w.table.dormant {
			return 0, false, notRegistered(w.table.name)
		}
		if w.table.form != w.form {
			return 0, false, nil
		}
		if w.lists {
			if w.table.changed != w.listed || w.table.last != nil {
				return 0, false, nil
			}
			continue
		}
		if base, _ := o.next(w.table, w.key); base != w.base {
			return 0, false, nil
		}
		if w.changes {
			changes++
		}
	}
	return changes, true, nil
}

// assign checks the quotas, and writes the time and the revisions that follow assigned into the changed records. The
// caller holds the lock.
func (o *objects) assign(
	writes []write, changes int, claim storage.Claim, assigned watch.Revision, now time.Time,
) ([]watch.Change[storage.Record], error) {
	if claim != nil {
		if err := claim.Check(); err != nil {
			return nil, err
		}
	}
	group := make([]watch.Change[storage.Record], 0, changes)
	for i := range writes {
		w := &writes[i]
		if !w.changes {
			continue
		}
		revision := assigned + watch.Revision(len(group)) + 1
		record := w.base
		if w.next != nil {
			stamp(w.next, revision)
			w.next.Written = storage.MomentOf(now)
			record = w.next
		}
		group = append(group,
			watch.Change[storage.Record]{Key: record.Key, Revision: revision, Previous: w.base, Current: w.next})
	}
	o.book(writes)
	return group, nil
}

// publish makes a group visible to readers and watchers. It ends at revision last. The caller holds the lock.
func (o *objects) publish(group []watch.Change[storage.Record], writes []write, last watch.Revision) error {
	before := o.revision
	for i := range writes {
		w := &writes[i]
		if !w.changes {
			continue
		}
		t := w.table
		if t.latest != nil {
			o.past.retire(t.latest, before)
			t.latest = nil
		}
		t.changed = last
		t.changes++
		o.live.Add(w.grown)
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
	o.revision = last
	o.commits++
	if err := o.log.Append(group); err != nil {
		return err
	}
	o.forget(o.log.Compacted())
	if o.log.Revision() < last { // the group ends with changes of resources that are not served
		return o.log.Advance(last)
	}
	return nil
}

// refuseNewer returns an error if a write would lose what a newer program has stored. The caller holds the lock.
func (o *objects) refuseNewer(w *write) error {
	form, ok := w.table.newer[w.key]
	if !ok || !w.changes || o.opts.OverwriteNewer {
		return nil
	}
	return storage.ReadOnly(
		fmt.Errorf("the object was stored in the newer form %q, which this program does not know", form))
}

// unreadable returns the error of a write that would replace what this program cannot read.
func unreadable(bad error) error {
	return storage.ReadOnly(fmt.Errorf("another replica has stored a text that this program cannot read: %w", bad))
}

// pausedBy returns nil, or, if an upgrade pauses commits to one of the tables, a channel that is closed when the pause
// ends. The caller holds the lock.
func (o *objects) pausedBy(writes []write) <-chan struct{} {
	for i := range writes {
		if wait := writes[i].table.paused; wait != nil {
			return wait
		}
	}
	return nil
}

// await waits until a channel is closed or the context ends.
func await(ctx context.Context, closed <-chan struct{}) error {
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
