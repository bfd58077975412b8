package watch

// topic is the part of the log that belongs to one key, or to one value of an index within it, with the cursors that
// wait for more. It exists as long as it has cursors.
type topic[T any] struct {
	topicKey
	changes ring[*Change[T]] // every change of the topic after from that the log holds
	from    Revision         // the topic does not hold changes up to this revision
	newest  Revision         // the youngest change of the topic, or a revision above it
	cursors int
	dirty   bool  // the topic is in the dispatcher's queue
	ended   error // the error that the cursors return after EndResource

	first, last *cursor[T] // the waiting cursors, in the order in which they began to wait
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

// drop removes a change that the log trims. The log trims changes in order, so it is the first of the topic or was
// never in it.
func (t *topic[T]) drop(c *Change[T]) {
	if t.changes.len() > 0 && t.changes.at(0) == c {
		t.changes.pop()
		t.from = c.Revision
	}
}

// lose drops the changes of a resource's topic up to a revision. A cursor that has not read all of them expires.
func (t *topic[T]) lose(through Revision) {
	for t.changes.len() > 0 && t.changes.at(0).Revision <= through {
		t.from = t.changes.pop().Revision
	}
}

// replace puts a change in the place of another one with the same revision.
func (t *topic[T]) replace(old, by *Change[T]) {
	i := t.changes.search(func(c *Change[T]) bool { return c.Revision >= old.Revision })
	if i < t.changes.len() && t.changes.at(i) == old {
		t.changes.set(i, by)
	}
}

// hasNews reports whether the cursor that has waited longest has something to read: a change, or the end of its topic.
func (t *topic[T]) hasNews() bool {
	return t.first != nil && (t.first.seen < t.newest || t.ended != nil)
}

// refill replaces the changes of the topic by those after a revision.
func (t *topic[T]) refill(from Revision, changes []*Change[T]) {
	t.changes = ring[*Change[T]]{}
	t.from, t.newest = from, max(from, t.newest)
	for _, c := range changes {
		t.changes.push(c)
		t.newest = max(t.newest, c.Revision)
	}
}

// enqueue makes a cursor wait for changes after the newest one. The queue is ordered by seen, which never decreases.
func (t *topic[T]) enqueue(c *cursor[T]) {
	c.waiting, c.seen = true, t.newest
	c.before, c.behind = t.last, nil
	if t.last == nil {
		t.first = c
	} else {
		t.last.behind = c
	}
	t.last = c
}

func (t *topic[T]) dequeue(c *cursor[T]) {
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
