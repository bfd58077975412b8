package rest

import (
	"context"
	"iter"
	"slices"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Changes is what [Objects.Follow] yields at a time.
type Changes struct {
	// List are changes of objects of any resource, in the order of their revisions. They are shared and must not be changed.
	List []*watch.Change[storage.Record]
	// Through is the revision up to which every change of every resource has been yielded, these included. It is 0 until all
	// objects that there were at the beginning have been.
	Through watch.Revision
}

// followChunk is about how many objects one of the first Changes has.
const followChunk = 500

// Follow yields every object there is, as a change that adds it, and then all changes of all resources in one order: who has applied them
// knows the state of every resource at one revision. It ends with the context, with the API, or with an error for which
// [status.IsExpired] holds when changes were missed: then begin anew. The error is yielded last.
func (o Objects) Follow(ctx context.Context) iter.Seq2[Changes, error] {
	return func(yield func(Changes, error) bool) {
		if err := o.api.enterCall(); err != nil {
			yield(Changes{}, err)
			return
		}
		defer o.api.leave(false)
		ctx, cancel := o.api.untilEnding(ctx)
		defer cancel()
		m := merger{store: o.api.store, ready: make(chan struct{}, 1)}
		defer m.close()
		err := m.begin(ctx, o.Resources(), yield)
		for err == nil && !m.stopped {
			err = m.next(ctx, yield)
		}
		if m.stopped {
			return
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		yield(Changes{}, err)
	}
}

// merger makes one sequence of the changes of several resources.
type merger struct {
	store   storage.Store
	cursors []*watch.Cursor[storage.Record]
	ready   chan struct{}                   // of all cursors
	ahead   []*watch.Change[storage.Record] // read, but some cursor may still have older ones
	through watch.Revision
	stopped bool // the caller has broken off
}

func (m *merger) close() {
	for _, c := range m.cursors {
		c.Close()
	}
}

// begin yields what there is, and opens a cursor for each resource where its list ends.
func (m *merger) begin(ctx context.Context, resources []StoredResource, yield func(Changes, error) bool) error {
	for _, r := range resources {
		scope := watch.Scope{Resource: r.Name}
		page, err := m.store.List(ctx, storage.ListOptions{Scope: scope}, nil)
		if err != nil {
			return err
		}
		for records := range slices.Chunk(page.Records, followChunk) {
			added := make([]watch.Change[storage.Record], len(records))
			list := make([]*watch.Change[storage.Record], len(records))
			for i, record := range records {
				added[i] = watch.Change[storage.Record]{Scope: record.Key, Revision: record.Revision, Current: record}
				list[i] = &added[i]
			}
			if m.stopped = !yield(Changes{List: list}, nil); m.stopped {
				return nil
			}
		}
		cursor, err := m.store.Watch(scope, page.Revision)
		if err != nil {
			return err
		}
		cursor.ReadyOn(m.ready)
		m.cursors = append(m.cursors, cursor)
		m.through = max(m.through, page.Revision)
	}
	// Nothing is whole before the last list.
	whole := m.through
	for m.through = 0; m.through < whole; {
		if err := m.poll(); err != nil {
			return err
		}
	}
	m.yield(yield)
	return nil
}

// next waits for changes and yields them.
func (m *merger) next(ctx context.Context, yield func(Changes, error) bool) error {
	if err := m.wait(ctx); err != nil {
		return err
	}
	before := m.through
	if err := m.poll(); err != nil {
		return err
	}
	if m.through > before {
		m.yield(yield)
	}
	return nil
}

// wait returns when some cursor has something to read.
func (m *merger) wait(ctx context.Context) error {
	for _, c := range m.cursors {
		c.Ready()
	}
	select {
	case <-m.ready:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// poll reads what the cursors have, and finds the revision up to which none of them has more.
func (m *merger) poll() error {
	through := ^watch.Revision(0)
	for _, c := range m.cursors {
		var err error
		if m.ahead, err = c.Poll(m.ahead); err != nil {
			return err
		}
		through = min(through, c.Position())
	}
	m.through = through
	return nil
}

// yield hands out what is known to be in order.
func (m *merger) yield(yield func(Changes, error) bool) {
	slices.SortFunc(m.ahead, func(a, b *watch.Change[storage.Record]) int {
		return int(int64(a.Revision - b.Revision))
	})
	n, _ := slices.BinarySearchFunc(m.ahead, m.through, func(c *watch.Change[storage.Record], through watch.Revision) int {
		if c.Revision <= through {
			return -1
		}
		return 1
	})
	list := slices.Clone(m.ahead[:n])
	m.ahead = slices.Delete(m.ahead, 0, n)
	m.stopped = !yield(Changes{List: list, Through: m.through}, nil)
}
