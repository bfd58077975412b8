// Package mirror keeps a data structure made of an API's objects up to date, so that a change of an object affects the
// next request. It serves roles, and the configurations of webhooks and policies.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Source reads the objects of an API. A raw.Objects is one.
type Source interface {
	RevisionOf(resources ...string) watch.Revision
	Watch(ctx context.Context, resource string, after watch.Revision) (watch.Cursor[storage.Record], error)
	List(ctx context.Context, resource, namespace string) ([]*storage.Record, error)
}

// Index is the data structure. Put adds or replaces the object of a key, or removes it if record is nil. It is
// idempotent. If Put cannot read the text of the record, it returns an error and changes nothing.
type Index interface {
	Put(ctx context.Context, key storage.Key, record *storage.Record) error
}

// Mirror holds an Index that follows the objects of some resources. Each reader brings the Index up to date first. The
// Mirror has a goroutine only while it reads the Index from the store.
type Mirror[I Index] struct {
	source    Source
	resources []string
	empty     func() I

	seen    atomic.Uint64 // the revision of the index
	mu      sync.RWMutex  // not held while the Index asks the store
	index   I
	ahead   []watch.Cursor[storage.Record] // the changes after seen; nil if the index must be read again
	begun   bool                           // the index has been read
	reading *reading                       // nil unless the index is being read again
}

// reading is one read of the Index from the store, shared by all callers that wait for it.
type reading struct {
	done chan struct{} // closed when err is set
	err  error
}

// New returns a Mirror of the objects of the resources. empty returns an Index without objects.
func New[I Index](source Source, resources []string, empty func() I) *Mirror[I] {
	return &Mirror[I]{source: source, resources: resources, empty: empty}
}

// Acquire returns the Index at a revision that is at least as recent as the present one. While nothing is written,
// bringing it up to date costs one comparison. If the Index has to be read from the store, all callers wait for the
// same reading, until their contexts end. The caller does not change the Index, and calls Release when it no longer
// reads it, unless Acquire fails.
func (m *Mirror[I]) Acquire(ctx context.Context) (I, error) {
	if err := m.refresh(ctx); err != nil {
		return *new(I), err
	}
	m.mu.RLock()
	return m.index, nil
}

// Release ends the reading that Acquire began.
func (m *Mirror[I]) Release() { m.mu.RUnlock() }

// refresh brings the Index up to date.
func (m *Mirror[I]) refresh(ctx context.Context) error {
	now := uint64(m.source.RevisionOf(m.resources...))
	for m.seen.Load() < now {
		r, err := m.catchUp(ctx)
		if r == nil {
			return err
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

// catchUp applies the changes since the revision of the index. If the store no longer holds all of them, it returns the
// reading to wait for.
func (m *Mirror[I]) catchUp(ctx context.Context) (*reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reading != nil {
		return m.reading, nil
	}
	now := uint64(m.source.RevisionOf(m.resources...))
	err := m.poll(ctx)
	switch {
	case err == nil:
		m.seen.Store(now)
		return nil, nil
	case errors.Is(err, watch.ErrClosed) && m.begun:
		return nil, nil // the API is shutting down, and the index decides the remaining requests as it is
	}
	m.reading = &reading{done: make(chan struct{})}
	go m.readAnew(m.reading)
	return m.reading, nil
}

// errUnread means that the Index has to be read.
var errUnread = errors.New("the index has not been read")

// poll applies the changes since the last poll.
func (m *Mirror[I]) poll(ctx context.Context) error {
	if m.ahead == nil {
		return errUnread
	}
	for _, cursor := range m.ahead {
		for {
			changes, err := cursor.Poll(nil)
			if err != nil {
				return err
			}
			if len(changes) == 0 {
				break
			}
			for _, c := range changes {
				if err := m.index.Put(ctx, c.Key, c.Current); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readAnew reads the whole Index again. It does not end with the context of a caller, because others wait for it too.
// The store limits its time.
func (m *Mirror[I]) readAnew(r *reading) {
	now := uint64(m.source.RevisionOf(m.resources...))
	index, ahead, err := m.recovered(context.Background())
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		closeAll(m.ahead)
		m.index, m.ahead, m.begun = index, ahead, true
		m.seen.Store(now)
	}
	r.err, m.reading = err, nil
	close(r.done)
}

// recovered is like read, but returns a panic as its error. Nothing else recovers in this goroutine.
func (m *Mirror[I]) recovered(ctx context.Context) (index I, ahead []watch.Cursor[storage.Record], err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while the index was read: %v\n%s", p, debug.Stack())
		}
	}()
	return m.read(ctx)
}

// read returns a new Index and cursors for the changes after it. The cursors begin before the lists, so a change may
// come twice, but none is lost.
func (m *Mirror[I]) read(ctx context.Context) (index I, ahead []watch.Cursor[storage.Record], err error) {
	defer func() {
		if err != nil {
			closeAll(ahead)
		}
	}()
	index = m.empty()
	for _, resource := range m.resources {
		cursor, err := m.source.Watch(ctx, resource, m.source.RevisionOf(resource))
		if err != nil {
			return index, ahead, err
		}
		ahead = append(ahead, cursor)
		records, err := m.source.List(ctx, resource, "")
		if err != nil {
			return index, ahead, err
		}
		for _, r := range records {
			if err := index.Put(ctx, r.Key, r); err != nil {
				return index, ahead, err
			}
		}
	}
	return index, ahead, nil
}

func closeAll(cursors []watch.Cursor[storage.Record]) {
	for _, cursor := range cursors {
		cursor.Close()
	}
}
