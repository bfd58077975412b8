package watch

import "runtime"

// wakeStep bounds how many cursors are taken from their queue under one hold of the lock, and how many are woken before
// others get their turn: a writer is not to stand behind all who read what it has written.
const wakeStep = 8

// startDispatcher makes sure that somebody wakes those who wait. The caller holds the lock.
func (l *Log[T]) startDispatcher() {
	if l.done == nil {
		l.done = make(chan struct{})
		go l.dispatch()
	}
}

// wakeDispatcher tells the dispatcher that there is work. The caller holds the lock, so the channel is not closed meanwhile.
func (l *Log[T]) wakeDispatcher() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// dispatch wakes waiting cursors until the log is closed, outside the lock, so that a commit costs the same whoever waits.
func (l *Log[T]) dispatch() {
	defer close(l.done)
	woken := make([]*Cursor[T], 0, wakeStep)
	for range l.kick {
		for more := true; more; {
			woken, more = l.takeWaiting(woken[:0])
			wake(woken)
			runtime.Gosched()
		}
	}
	for _, t := range l.takeAll() {
		wake(t)
	}
}

func wake[T any](cursors []*Cursor[T]) {
	for i, c := range cursors {
		c.signal()
		cursors[i] = nil
	}
}

// takeWaiting takes the next few cursors that have something to read out of their queue, one topic after the other.
func (l *Log[T]) takeWaiting(into []*Cursor[T]) (woken []*Cursor[T], more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.advanced != nil {
		close(l.advanced)
		l.advanced = nil
	}
	if l.closed || l.dirty.len() == 0 {
		return into, false
	}
	t := l.dirty.pop()
	// A cursor that was woken and already waits again stands behind all that were not, so nobody is woken twice for one change.
	for t.first != nil && t.first.seen < t.newest && len(into) < wakeStep {
		into = append(into, t.first)
		t.dequeue(t.first)
	}
	if t.first != nil && t.first.seen < t.newest {
		l.dirty.push(t)
	} else {
		t.dirty = false
	}
	return into, l.dirty.len() > 0
}

// takeAll empties every queue of a closed log.
func (l *Log[T]) takeAll() [][]*Cursor[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.advanced != nil {
		close(l.advanced)
		l.advanced = nil
	}
	var all [][]*Cursor[T]
	for _, t := range l.topics {
		var waiting []*Cursor[T]
		for t.first != nil {
			waiting = append(waiting, t.first)
			t.dequeue(t.first)
		}
		all = append(all, waiting)
	}
	return all
}
