package watch

// topic is the part of the log that lies in one scope, or has one value of an index there, with the cursors that wait for more of it. It exists
// while somebody watches it.
type topic[T any] struct {
	topicKey
	changes ring[*Change[T]] // every change of the topic after from that the log holds
	from    Revision         // nothing is known here of changes up to this revision
	newest  Revision         // no younger change of the topic was appended
	cursors int
	dirty   bool // it is in the log's queue for the dispatcher

	first, last *Cursor[T] // those that wait, in the order they began to
}

// deliver adds a new change to a topic. The caller holds the log's lock.
func (l *Log[T]) deliver(t *topic[T], c *Change[T]) {
	t.changes.push(c)
	t.newest = c.Revision
	if t.first != nil && !t.dirty {
		t.dirty = true
		l.dirty.push(t)
	}
}

// drop forgets a change that the log trims; changes are trimmed in order, so it is the first one or was never here.
func (t *topic[T]) drop(c *Change[T]) {
	if t.changes.len() > 0 && t.changes.at(0) == c {
		t.changes.pop()
		t.from = c.Revision
	}
}

// refill replaces what the topic holds by the changes after a revision.
func (t *topic[T]) refill(from Revision, changes []*Change[T]) {
	t.changes = ring[*Change[T]]{}
	t.from, t.newest = from, max(from, t.newest)
	for _, c := range changes {
		t.changes.push(c)
		t.newest = max(t.newest, c.Revision)
	}
}

// enqueue lets a cursor wait for what comes after the newest change. The queue is in order of seen, which never falls.
func (t *topic[T]) enqueue(c *Cursor[T]) {
	c.waiting, c.seen = true, t.newest
	c.before, c.behind = t.last, nil
	if t.last == nil {
		t.first = c
	} else {
		t.last.behind = c
	}
	t.last = c
}

func (t *topic[T]) dequeue(c *Cursor[T]) {
	if c.before == nil {
		t.first = c.behind
	} else {
		c.before.behind = c.behind
	}
	if c.behind == nil {
		t.last = c.before
	} else {
		c.behind.before = c.before
	}
	c.waiting, c.before, c.behind = false, nil, nil
}
