package watch

import (
	"context"
)

// PollLimit is the largest number of changes that one Poll returns, and PollBytes the size of their states after which
// it returns no more. Poll exceeds them only to finish a group, which it never splits. A slow reader keeps this much
// alive.
const (
	PollLimit = 256
	PollBytes = 128 << 10
)

// Cursor is a position in a history of changes, and the key whose changes it reads. It has no queue and holds no
// changes. One goroutine at a time may use it. The reader must close it, because the log keeps its topic until then.
//
// A [Log] makes cursors. A store that wraps another store may wrap the cursors of that store. Its type embeds a Cursor
// and changes the results of Poll and Next. A minor version may add methods to this interface, so every other
// implementation must embed a Cursor too.
type Cursor[T any] interface {
	// Poll appends the changes since the previous Poll to into, oldest first and at most about [PollLimit] or [PollBytes].
	// It never blocks. It returns 410 Expired if the cursor has fallen behind the log, [ErrClosed] after Close of the
	// cursor or the log, and the error that [Log.EndResource] received once the cursor's resource has ended.
	Poll(into []*Change[T]) ([]*Change[T], error)
	// Err returns the error that Poll would return now. With it, a reader that still processes earlier changes learns
	// whether it can continue afterwards.
	Err() error
	// Next is like Poll, but waits until there is something to return or the context ends.
	Next(ctx context.Context, into []*Change[T]) ([]*Change[T], error)
	// ReadyOn makes Ready return this channel, which must have a buffer of at least one. So a reader can wait for several
	// cursors, and for other events, on one channel. After each receive it must check all of them. Call ReadyOn before
	// Ready.
	ReadyOn(ready chan struct{})
	// Ready returns a channel that receives one value when Poll has changes or an error to return. Call Ready again
	// after each receive. The value may come early. Then Poll returns nothing.
	Ready() <-chan struct{}
	// Position returns the revision up to which Poll has returned every change within the key, so a bookmark may carry
	// it. Every Poll moves it, even one that returns nothing. It is the end of a group, except before the first Poll of
	// a cursor that starts inside one.
	Position() Revision
	// Close ends the cursor. Further calls do nothing.
	Close()
}

// cursor is the cursor of a log.
type cursor[T any] struct {
	log      *Log[T]
	topic    *topic[T]
	position Revision
	closed   bool
	ready    chan struct{}

	// The place of the cursor in the queue of its topic, guarded by the log's lock.
	waiting        bool
	seen           Revision
	before, behind *cursor[T]
}

// Cursor returns a cursor that reads the changes within a key that are younger than the given revision. If the log has
// not reached the revision yet, the cursor stays silent until younger changes arrive. Cursor returns 410 Expired if the
// log no longer holds all changes after the revision, and [ErrClosed] after Close.
func (l *Log[T]) Cursor(within Key, after Revision) (Cursor[T], error) {
	return l.CursorOn(within, Term{}, after)
}

// CursorOn is Cursor for the changes within a key that concern a term. The key must name a resource, because an index
// belongs to one.
func (l *Log[T]) CursorOn(within Key, term Term, after Revision) (Cursor[T], error) {
	key := topicKey{within, term}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.readable(within, after); err != nil {
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
	return &cursor[T]{log: l, topic: t, position: after}, nil
}

// fill creates the topic, or extends it to an older revision. It releases the lock during the scan, so it checks
// everything again afterwards.
func (l *Log[T]) fill(key topicKey, after Revision) (*topic[T], error) {
	l.mu.Unlock()
	changes, reached, err := l.collect(key, after)
	l.mu.Lock()
	if err == nil {
		err = l.readable(key.Key, after)
	}
	if err != nil {
		return nil, err
	}
	t := l.topics[key]
	if t == nil {
		t = l.addTopic(key)
	} else if after >= t.from {
		return t, nil // another goroutine was faster
	}
	changes, _, _ = l.scan(key, reached, l.changes.len(), changes)
	t.refill(min(after, l.Revision()), changes)
	return t, nil
}

// Poll implements [Cursor].
func (c *cursor[T]) Poll(into []*Change[T]) ([]*Change[T], error) {
	l, t := c.log, c.topic
	l.mu.RLock()
	defer l.mu.RUnlock()
	if err := c.err(); err != nil {
		return into, err
	}
	if t.newest > c.position {
		n := t.changes.len()
		i := t.changes.search(func(change *Change[T]) bool { return change.Revision > c.position })
		bytes := int64(0)
		for taken := 0; i < n; i++ {
			change := t.changes.at(i)
			if (taken >= PollLimit || bytes >= PollBytes) && change.Revision > c.position {
				return into, nil
			}
			into = append(into, change)
			c.position = change.groupEnd
			taken++
			bytes += l.stateSize(change)
		}
	}
	c.position = max(c.position, l.Revision())
	return into, nil
}

// Err implements [Cursor].
func (c *cursor[T]) Err() error {
	c.log.mu.RLock()
	defer c.log.mu.RUnlock()
	return c.err()
}

// err is Err for a caller that holds the log's lock.
func (c *cursor[T]) err() error {
	switch {
	case c.closed || c.log.closed:
		return ErrClosed
	case c.topic.ended != nil:
		return c.topic.ended
	case c.position < c.topic.from:
		return expired(c.position, c.log.floor(c.topic.Key))
	}
	return nil
}

// Next implements [Cursor].
func (c *cursor[T]) Next(ctx context.Context, into []*Change[T]) ([]*Change[T], error) {
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

// ReadyOn implements [Cursor].
func (c *cursor[T]) ReadyOn(ready chan struct{}) { c.ready = ready }

// Ready implements [Cursor].
func (c *cursor[T]) Ready() <-chan struct{} {
	l, t := c.log, c.topic
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.ready == nil {
		c.ready = make(chan struct{}, 1)
	}
	switch {
	case c.waiting:
	case c.closed || l.closed || t.ended != nil || c.position < t.from || c.position < t.newest:
		c.signal()
	default:
		t.enqueue(c)
		l.startDispatcher()
	}
	return c.ready
}

func (c *cursor[T]) signal() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// Position implements [Cursor].
func (c *cursor[T]) Position() Revision { return c.position }

// Close implements [Cursor]. It removes the cursor from the log.
func (c *cursor[T]) Close() {
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
	if t.cursors--; t.cursors == 0 && t.ended == nil {
		l.removeTopic(t.topicKey)
	}
}
