package watch

// EndResource drops the changes of a resource and ends its cursors: each returns err from now on. Cursors on everything go on, except
// those that have not read all changes of the resource; they expire. Cursors that are made later are not affected.
func (l *Log[T]) EndResource(resource string, err error) {
	l.CompactResource(resource, l.Revision())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
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
