package watch

// EndResource drops the changes of a resource and ends the cursors on it: their calls of Poll and Next return err. A cursor on all
// resources continues if it has read every change of the resource; otherwise it expires. EndResource does not affect later cursors.
func (l *Log[T]) EndResource(resource string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.compactResource(resource, l.Revision())
	for k, t := range l.topics {
		if k.Resource != resource {
			continue
		}
		l.removeTopic(k)
		t.ended, t.changes = err, ring[*Change[T]]{}
		if t.first != nil && !t.dirty {
			t.dirty = true
			l.dirty.push(t)
		}
	}
	if l.dirty.len() > 0 {
		l.wakeDispatcher()
	}
}
