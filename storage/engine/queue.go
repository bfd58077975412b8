package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// queue holds the groups between assign and publish, in the order of their revisions.
//
// The queue has no goroutine of its own. Instead, one of the waiting writers drives it: it takes all waiting groups,
// appends them without holding a lock, and publishes them. Then it passes the task to the writer of the first group
// that has arrived since. So writers share appends, and no writer works for others for long.
type queue struct {
	assigned watch.Revision // the last revision that was assigned
	waiting  []*pending
	driven   bool
	last     *pending // the youngest group that is not published yet
}

// pending is a group between assign and publish.
type pending struct {
	group  []watch.Change[storage.Record]
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
	record *storage.Record // nil: deleted
	by     *pending
}

// enqueued is what became of a group at the beginning of its commit.
type enqueued struct {
	first   watch.Revision  // the revision that follows the last assigned one
	pause   <-chan struct{} // an upgrade pauses writes until this is closed
	refused bool            // err says why; nil means that a precondition does not hold
	err     error
	last    *pending // the youngest group before a refused one

	group *pending   // nil if the group changes nothing
	batch []*pending // the groups that the writer must append; none if another writer drives the queue
}

// enqueue assigns the revisions of a group, and adds it to the queue.
func (d *durable) enqueue(writes []write, claim storage.Claim, now time.Time) enqueued {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := enqueued{first: d.assigned + 1, last: d.last}
	if e.pause = d.pausedBy(writes); e.pause != nil {
		return e
	}
	changes, ok, err := d.examine(writes, d.assigned)
	if e.refused, e.err = !ok, err; e.refused || changes == 0 {
		return e
	}
	if e.err = d.refuse(writes); e.err != nil {
		e.refused = true
		return e
	}
	group, err := d.assign(writes, changes, claim, d.assigned, now)
	if e.err = err; err != nil {
		e.refused = true
		return e
	}
	if d.texts != nil {
		d.texts.assign(writes, group)
	}
	e.group = d.push(group, writes, now)
	if !d.driven {
		d.driven = true
		e.batch = d.takeWaiting()
	}
	return e
}

// push appends an assigned group to the queue. Update functions see its records from now on. The caller holds the lock.
func (d *durable) push(group []watch.Change[storage.Record], writes []write, now time.Time) *pending {
	p := &pending{group: group, writes: slices.Clone(writes), at: now, done: make(chan struct{}),
		drive: make(chan struct{}, 1)}
	for i := range p.writes {
		w := &p.writes[i]
		if w.changes {
			if w.table.ahead == nil {
				w.table.ahead = map[storage.Key]ahead{}
			}
			key := w.key
			if w.next != nil {
				key = w.next.Key // the key of the write may point into a request
			}
			w.table.ahead[key] = ahead{w.next, p}
			w.table.last = p
		}
	}
	d.assigned = group[len(group)-1].Revision
	d.waiting = append(d.waiting, p)
	d.last = p
	return p
}

// takeWaiting removes all groups from the queue, for the writer that drives it. The caller holds the lock.
func (d *durable) takeWaiting() []*pending {
	batch := d.waiting
	d.waiting = nil
	return batch
}

// settle makes a group durable and visible. The writer drives the queue if it has a batch, and otherwise waits for
// another writer.
func (d *durable) settle(ctx context.Context, p *pending, batch []*pending) error {
	if batch == nil {
		select {
		case <-p.done:
		case <-p.drive:
		case <-ctx.Done():
		}
		var left bool
		if batch, left = d.takeOver(p); left {
			return storage.Unknown(ctx.Err())
		}
	}
	for batch != nil {
		batch = d.finishAll(batch, d.appendAll(batch))
	}
	return p.err
}

// takeOver returns the groups that a writer must append after it has waited for its own group, or none if its group is
// done. left means that no other writer has passed it the queue, so it stops waiting. A writer that must drive does so
// even if its context has ended, because no other writer would.
func (d *durable) takeOver(p *pending) (batch []*pending, left bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-p.done:
		return nil, false
	default:
	}
	if !p.drives {
		p.left = true
		return nil, true
	}
	return d.takeWaiting(), false
}

// appendAll makes groups durable. It turns a panic of the backend into an error, because other writers wait for the
// result.
func (d *durable) appendAll(batch []*pending) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the backend panicked: %v", p)
		}
	}()
	groups := make([]Group, len(batch))
	for i, p := range batch {
		groups[i] = p.entries()
	}
	defer d.synced(time.Now())
	return d.backend.Append(context.Background(), groups)
}

// entries converts the group for the backend.
func (p *pending) entries() Group {
	g := Group{At: p.at, Entries: make([]storage.Entry, 0, len(p.group))}
	for i := range p.writes {
		if w := &p.writes[i]; w.changes {
			c := &p.group[len(g.Entries)]
			g.Entries = append(g.Entries, storage.Entry{
				Key: c.Key, Revision: c.Revision, Previous: c.Previous, Current: c.Current, Form: w.form.Fingerprint,
			})
		}
	}
	return g
}

// finishAll publishes groups that were appended, or fails them with the error of the append. Then it passes the queue
// to the writer of another group. If all writers have stopped waiting, it returns the groups that the caller must
// append next.
func (d *durable) finishAll(batch []*pending, err error) (next []*pending) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.fail(batch, err)
		d.driven = false
		return nil
	}
	for _, p := range batch {
		d.finish(p, d.publish(p.group, p.writes, p.group[len(p.group)-1].Revision))
		if d.texts != nil {
			d.texts.settle(p.group)
		}
	}
	if i := slices.IndexFunc(d.waiting, func(p *pending) bool { return !p.left }); i >= 0 {
		heir := d.waiting[i]
		heir.drives = true
		heir.drive <- struct{}{}
		return nil
	}
	d.driven = len(d.waiting) > 0
	return d.takeWaiting()
}

// fail makes the store read-only after an append has failed. The outcome of the batch is unknown. The groups after it
// were not written. The caller holds the lock.
func (d *durable) fail(batch []*pending, err error) {
	d.refuseWrites(err)
	for _, p := range batch {
		d.finish(p, storage.Unknown(err))
	}
	for _, p := range d.takeWaiting() {
		d.finish(p, d.readOnly)
	}
}

// finish passes the outcome of a group to all goroutines that wait for it. The caller holds the lock.
func (d *durable) finish(p *pending, err error) {
	for i := range p.writes {
		w := &p.writes[i]
		if a, ok := w.table.ahead[w.key]; ok && a.by == p {
			delete(w.table.ahead, w.key)
		}
		if w.table.last == p {
			w.table.last = nil
		}
	}
	if d.last == p {
		d.last = nil
	}
	p.err = err
	close(p.done)
}

// awaitPending waits for the groups of a table that are not published yet.
func (o *objects) awaitPending(ctx context.Context, t *table) error {
	o.mu.RLock()
	last := t.last
	o.mu.RUnlock()
	if last == nil {
		return nil
	}
	return await(ctx, last.done)
}
