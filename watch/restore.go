package watch

import (
	"fmt"
	"time"
)

// Past is a change from before the start of the log, which a store has kept.
type Past[T any] struct {
	Change[T]
	// GroupEnd is the last revision of the change's group.
	GroupEnd Revision
	// At is when the store committed the change.
	At time.Time
}

// Restore adds changes of the resource that the key covers, oldest first, from before the start of the log. Cursors on
// the resource may then start at any revision from floor on. Call it before the log holds a change of the resource or a
// cursor on it. A cursor on all resources reads the restored changes after its position. MaxAge and MaxBytes apply to
// the restored changes too. Restore returns [ErrClosed] after Close, and another error if the revisions do not ascend
// or a change belongs to another resource.
func (l *Log[T]) Restore(resource Key, floor Revision, past []Past[T]) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	last := floor
	for i := range past {
		if past[i].Revision <= last || past[i].Revision > l.Revision() || past[i].Key.resource() != resource {
			return fmt.Errorf("%w: %d of %q follows %d", errOrder, past[i].Revision, past[i].Key.Resource, last)
		}
		last = past[i].Revision
	}
	if floor = max(floor, l.floor(resource)); floor > l.Compacted() {
		l.floors[resource] = floor
	}
	l.merge(past, floor)
	if t := l.topics[topicKey{Key: resource.whole()}]; t != nil && len(past) > 0 {
		changes, _, _ := l.scan(t.topicKey, t.from, l.changes.len(), nil)
		t.refill(t.from, changes)
		if t.hasNews() && !t.dirty {
			t.dirty = true
			l.dirty.push(t)
			l.wakeDispatcher()
		}
	}
	l.trim(l.opts.Now().UnixNano())
	return nil
}

// merge inserts the changes after a floor into the log, in the order of their revisions.
func (l *Log[T]) merge(past []Past[T], floor Revision) {
	var merged ring[*Change[T]]
	for i := range past {
		p := &past[i]
		if p.GroupEnd <= floor {
			continue
		}
		for l.changes.len() > 0 && l.changes.at(0).Revision < p.Revision {
			merged.push(l.changes.pop())
		}
		l.prepare(&p.Change, p.GroupEnd, p.At.UnixNano())
		merged.push(&p.Change)
		l.bytes += p.size
	}
	for l.changes.len() > 0 {
		merged.push(l.changes.pop())
	}
	l.changes = merged
}
