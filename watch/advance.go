package watch

import "maps"

// Advance moves the log to a later revision, because its owner knows that no change lies between. Cursors continue, and
// take the revision as their position at the next Poll. Advance does nothing if the log has already reached the
// revision. It returns [ErrClosed] after Close.
func (l *Log[T]) Advance(to Revision) error {
	return l.move(to, func() {
		l.revision.Store(uint64(to))
		if l.advanced != nil {
			l.wakeDispatcher()
		}
	})
}

// Reset moves the log to a later revision and drops all its changes, because its owner has lost the changes between.
// Every cursor before the revision expires. Reset does nothing if the log has already reached the revision. It returns
// [ErrClosed] after Close.
func (l *Log[T]) Reset(to Revision) error {
	return l.move(to, func() {
		l.changes, l.bytes = ring[*Change[T]]{}, 0
		clear(l.floors)
		l.revision.Store(uint64(to))
		l.compacted.Store(uint64(to))
		for t := range maps.Values(l.topics) {
			t.changes = ring[*Change[T]]{}
			t.from, t.newest = to, to
			if t.first != nil && !t.dirty {
				t.dirty = true
				l.dirty.push(t)
			}
		}
		l.wakeDispatcher()
	})
}

// move calls do with the lock held if the revision is later than that of the log.
func (l *Log[T]) move(to Revision, do func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	if to > l.Revision() {
		do()
	}
	return nil
}
