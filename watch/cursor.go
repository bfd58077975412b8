package watch

import (
	"context"
)

// PollLimit is how many changes one Poll returns at most, give or take the rest of a group, which is never split.
const PollLimit = 256

// Cursor is a position in a [Log] and a scope. It has no queue, holds no changes and costs its reader's own memory only. One goroutine at a
// time may use it. Close it, or its topic stays in the log.
type Cursor[T any] struct {
	log      *Log[T]
	topic    *topic[T]
	position Revision
	closed   bool
	ready    chan struct{}

	// Where the cursor stands in its topic's queue, guarded by the log's lock.
	waiting        bool
	seen           Revision
	before, behind *Cursor[T]
}

// Cursor returns a cursor that reads the scope's changes younger than the given revision. A revision the log has not reached is allowed: the
// cursor then stays silent until changes younger than that come. It fails with 410 Expired when changes after the revision are no longer held, and
// with [ErrClosed] after Close.
func (l *Log[T]) Cursor(scope Scope, after Revision) (*Cursor[T], error) {
	return l.CursorOn(scope, Term{}, after)
}

// CursorOn is Cursor for those of the scope's changes that a term is about. The scope has a resource, since an index belongs to one.
func (l *Log[T]) CursorOn(scope Scope, term Term, after Revision) (*Cursor[T], error) {
	key := topicKey{scope, term}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.readable(after); err != nil {
		return nil, err
	}
	t := l.topics[key]
	if t == nil || after < t.from {
		var err error
		if t, err = l.fill(key, after); err != nil {
			return nil, err
		}
	}
	t.cursors++
	return &Cursor[T]{log: l, topic: t, position: after}, nil
}

// fill makes the topic, or extends it to an older revision. It lets go of the lock while it scans, so everything known before is checked again.
func (l *Log[T]) fill(key topicKey, after Revision) (*topic[T], error) {
	l.mu.Unlock()
	changes, reached, err := l.collect(key, after)
	l.mu.Lock()
	if err == nil {
		err = l.readable(after)
	}
	if err != nil {
		return nil, err
	}
	t := l.topics[key]
	if t == nil {
		t = l.addTopic(key)
	} else if after >= t.from {
		return t, nil // somebody else was faster
	}
	changes, _, _ = l.scan(key, reached, l.entries.len(), changes)
	t.refill(min(after, l.Revision()), changes)
	return t, nil
}

// Poll appends the changes that have gathered since the last one, oldest first and at most about [PollLimit], and never blocks. It fails with 410
// Expired when the cursor fell behind what the log holds, and with [ErrClosed] after Close of the cursor or the log.
func (c *Cursor[T]) Poll(into []*Change[T]) ([]*Change[T], error) {
	l, t := c.log, c.topic
	l.mu.RLock()
	defer l.mu.RUnlock()
	if c.closed || l.closed {
		return into, ErrClosed
	}
	if c.position < t.from {
		return into, expired(c.position, l.Compacted())
	}
	if t.newest > c.position {
		n := t.changes.len()
		i := t.changes.search(func(change *Change[T]) bool { return change.Revision > c.position })
		for taken := 0; i < n; i++ {
			change := t.changes.at(i)
			if taken >= PollLimit && change.Revision > c.position {
				return into, nil
			}
			into = append(into, change)
			c.position = change.groupEnd
			taken++
		}
	}
	c.position = max(c.position, l.Revision())
	return into, nil
}

// Next is Poll that waits until there is something to return, or the context ends.
func (c *Cursor[T]) Next(ctx context.Context, into []*Change[T]) ([]*Change[T], error) {
	for {
		changes, err := c.Poll(into)
		if err != nil || len(changes) > len(into) {
			return changes, err
		}
		select {
		case <-c.Ready():
		case <-ctx.Done():
			return into, ctx.Err()
		}
	}
}

// ReadyOn makes Ready return this channel, which must have room for one value. Who waits for several things, or for several cursors, then
// waits on one channel, and asks again after each receive for all that may have happened. It must be called before Ready.
func (c *Cursor[T]) ReadyOn(ready chan struct{}) { c.ready = ready }

// Ready returns a channel that receives once when Poll has something to return, be it changes or an error; it must be asked for again
// after each receive. It may receive early: then Poll returns nothing.
func (c *Cursor[T]) Ready() <-chan struct{} {
	l, t := c.log, c.topic
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.ready == nil {
		c.ready = make(chan struct{}, 1)
	}
	switch {
	case c.waiting:
	case c.closed || l.closed || c.position < t.from || c.position < t.newest:
		c.signal()
	default:
		t.enqueue(c)
		l.startDispatcher()
	}
	return c.ready
}

func (c *Cursor[T]) signal() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// Position is the revision up to which every change of the scope was returned, so it is what a bookmark may carry. It moves with Poll, also with
// one that returns nothing, and lies at the end of a group, except before the first Poll of a cursor that was made inside one.
func (c *Cursor[T]) Position() Revision { return c.position }

// Close gives up the cursor's place. It may be called more than once.
func (c *Cursor[T]) Close() {
	l, t := c.log, c.topic
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	if c.waiting {
		t.dequeue(c)
		c.signal()
	}
	if t.cursors--; t.cursors == 0 {
		l.removeTopic(t.topicKey)
	}
}
