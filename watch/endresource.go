package watch

// EndResource ends the history of the resource that the key covers, and the cursors on it. Their Poll and Next then
// return err. Cursors on all resources still read the changes before the end. EndResource does not affect later
// cursors.
func (l *Log[T]) EndResource(resource Key, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if l.topics[topicKey{Key: resource.whole()}] == nil {
		l.compactResource(resource, l.Revision())
	} else { // its cursors may have yet to read the changes
		l.floors[resource] = l.Revision()
	}
	for k, t := range l.topics {
		if k.Key.resource() != resource {
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
