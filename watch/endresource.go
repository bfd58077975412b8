package watch

// EndResource ends the history of a resource and the cursors on it: their calls of Poll and Next return err. Cursors on
// all resources still read the changes before the end. EndResource does not affect later cursors.
func (l *Log[T]) EndResource(resource string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if l.topics[topicKey{}] == nil {
		l.compactResource(resource, l.Revision())
	} else { // its cursors may have yet to read the changes
		l.floors[resource] = l.Revision()
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
