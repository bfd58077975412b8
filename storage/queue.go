package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-go/decorum/watch"
)

// queue holds the groups between assign and publish, in the order of their revisions.
//
// The queue has no goroutine of its own. Instead, one of the waiting writers drives it: it takes all waiting groups, appends them without
// holding a lock, and publishes them. Then it passes the task to the writer of the first group that has arrived since. So writers share
// appends, and no writer works for others for long.
type queue struct {
	assigned watch.Revision // the last revision that was assigned
	waiting  []*pending
	driven   bool
	last     *pending // the youngest group that is not published yet
}

// pending is a group between assign and publish.
type pending struct {
	group  []watch.Change[Record]
	writes []write
	at     time.Time

	done chan struct{} // closed when the group is published or has failed
	err  error         // set before done is closed

	drive  chan struct{} // receives when the writer must drive the queue
	drives bool
	left   bool // the writer has stopped waiting
}

// ahead is the record that a key will have once a group is published.
type ahead struct {
	record *Record // nil: deleted
	by     *pending
}

// next returns the record that a key will have once all assigned groups are published, and the pending group that writes it, or nil if the
// record is already published. The caller holds the lock.
func (m *Engine) next(t *table, key Key) (*Record, *pending) {
	if len(t.ahead) > 0 {
		if a, ok := t.ahead[key]; ok {
			return a.record, a.by
		}
	}
	return m.find(t, key), nil
}

// settled waits until the records that the update function saw are durable. If their append fails, settled returns the error that makes
// the store read-only.
func (m *Engine) settled(ctx context.Context, writes []write) error {
	for i := range writes {
		by := writes[i].after
		if by == nil {
			continue
		}
		if err := by.wait(ctx); err != nil {
			return err
		}
		if by.err != nil {
			return m.Ready()
		}
	}
	return nil
}

// wait waits until a group is published or has failed.
func (p *pending) wait(ctx context.Context) error {
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue makes an assigned group durable and visible. The caller holds m.mu, which enqueue releases.
func (m *Engine) enqueue(ctx context.Context, group []watch.Change[Record], writes []write, now time.Time) error {
	p := &pending{group: group, writes: slices.Clone(writes), at: now, done: make(chan struct{}), drive: make(chan struct{}, 1)}
	for i := range p.writes {
		w := &p.writes[i]
		if w.changes {
			if w.table.ahead == nil {
				w.table.ahead = map[Key]ahead{}
			}
			key := w.key
			if w.next != nil {
				key = w.next.Key // the key of the write may point into a request
			}
			w.table.ahead[key] = ahead{w.next, p}
		}
	}
	m.assigned = group[len(group)-1].Revision
	m.waiting = append(m.waiting, p)
	m.last = p
	if !m.driven {
		m.driven = true
		m.driveQueue()
		m.mu.Unlock()
		return p.err
	}
	m.mu.Unlock()
	select {
	case <-p.done:
		return p.err
	case <-p.drive:
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-p.done:
		return p.err
	default:
	}
	if p.drives { // no other writer would, so this one drives even if its context has ended
		m.driveQueue()
		return p.err
	}
	p.left = true
	return Unknown(ctx.Err())
}

// driveQueue appends and publishes the waiting groups, which include the group of the caller, and then passes the task to another writer.
// The caller holds m.mu, which driveQueue releases during the append.
func (m *Engine) driveQueue() {
	for len(m.waiting) > 0 {
		batch := m.waiting
		m.waiting = nil
		m.mu.Unlock()
		err := m.appendAll(batch)
		m.mu.Lock()
		if err != nil {
			m.fail(batch, err)
			break
		}
		for _, p := range batch {
			m.finish(p, m.publish(p.group, p.writes, p.group[len(p.group)-1].Revision))
		}
		if i := slices.IndexFunc(m.waiting, func(p *pending) bool { return !p.left }); i >= 0 {
			heir := m.waiting[i]
			heir.drives = true
			heir.drive <- struct{}{}
			return
		}
	}
	m.driven = false
}

// appendAll makes groups durable. It turns a panic of the backend into an error, because other writers wait for the result.
func (m *Engine) appendAll(batch []*pending) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the backend panicked: %v", p)
		}
	}()
	groups := make([]Group, len(batch))
	for i, p := range batch {
		groups[i] = p.entries()
	}
	return m.backend.Append(groups)
}

// entries converts the group for the backend.
func (p *pending) entries() Group {
	g := Group{At: p.at, Entries: make([]Entry, 0, len(p.group))}
	for i := range p.writes {
		if w := &p.writes[i]; w.changes {
			c := &p.group[len(g.Entries)]
			g.Entries = append(g.Entries, Entry{Key: c.Scope, Revision: c.Revision, Previous: c.Previous, Current: c.Current, Form: w.form.Fingerprint})
		}
	}
	return g
}

// fail makes the store read-only after an append has failed. The outcome of the batch is unknown. The groups after it were not written.
// The caller holds m.mu.
func (m *Engine) fail(batch []*pending, err error) {
	m.refuseWrites(err)
	for _, p := range batch {
		m.finish(p, Unknown(err))
	}
	for _, p := range m.waiting {
		m.finish(p, m.readOnly)
	}
	m.waiting = nil
}

// refuseWrites makes the store read-only. The caller holds m.mu.
func (m *Engine) refuseWrites(err error) {
	if m.readOnly == nil {
		m.readOnly = ReadOnly(err)
	}
}

// finish passes the outcome of a group to all goroutines that wait for it. The caller holds m.mu.
func (m *Engine) finish(p *pending, err error) {
	for i := range p.writes {
		w := &p.writes[i]
		if a, ok := w.table.ahead[w.key]; ok && a.by == p {
			delete(w.table.ahead, w.key)
		}
	}
	if m.last == p {
		m.last = nil
	}
	p.err = err
	close(p.done)
}
