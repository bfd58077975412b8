package watch

import "runtime"

// wakeStep bounds how many cursors the dispatcher dequeues while it holds the lock, and how many it wakes before it
// yields the processor, so that a writer does not have to wait for all its readers.
const wakeStep = 8

// startDispatcher starts the goroutine that wakes waiting cursors, unless it runs. The caller holds the lock.
func (l *Log[T]) startDispatcher() {
	if l.done == nil {
		l.done = make(chan struct{})
		go l.dispatch()
	}
}

// wakeDispatcher tells the dispatcher that there is work. The caller holds the lock, so that Close cannot close the
// channel meanwhile.
func (l *Log[T]) wakeDispatcher() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// dispatch wakes waiting cursors until the log is closed. It does so outside the lock, so that the cost of a commit
// does not depend on the number of waiting cursors.
func (l *Log[T]) dispatch() {
	defer close(l.done)
	woken := make([]*cursor[T], 0, wakeStep)
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

func wake[T any](cursors []*cursor[T]) {
	for i, c := range cursors {
		c.signal()
		cursors[i] = nil
	}
}

// takeWaiting dequeues the next few cursors that have something to read, one topic after the other.
func (l *Log[T]) takeWaiting(into []*cursor[T]) (woken []*cursor[T], more bool) {
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
	// A cursor that waits again after it was woken is behind those that were not woken yet, so no change wakes a cursor
	// twice.
	for t.hasNews() && len(into) < wakeStep {
		into = append(into, t.first)
		t.dequeue(t.first)
	}
	if t.hasNews() {
		l.dirty.push(t)
	} else {
		t.dirty = false
	}
	return into, l.dirty.len() > 0
}

// takeAll empties every queue of a closed log.
func (l *Log[T]) takeAll() [][]*cursor[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.advanced != nil {
		close(l.advanced)
		l.advanced = nil
	}
	var all [][]*cursor[T]
	take := func(t *topic[T]) {
		var waiting []*cursor[T]
		for t.first != nil {
			waiting = append(waiting, t.first)
			t.dequeue(t.first)
		}
		all = append(all, waiting)
	}
	for l.dirty.len() > 0 { // includes topics that EndResource has removed
		take(l.dirty.pop())
	}
	for _, t := range l.topics {
		take(t)
	}
	return all
}
