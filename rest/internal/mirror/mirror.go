// Package mirror keeps a data structure made of objects of an API up to date, so that a change of an object counts from the next request on:
// roles, and the configurations of webhooks and policies.
package mirror

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Source reads the objects of an API. A rest.Objects is one.
type Source interface {
	Revision() watch.Revision
	Watch(ctx context.Context, resource string, after watch.Revision) (*watch.Cursor[storage.Record], error)
	List(ctx context.Context, resource, namespace string) ([]*storage.Record, error)
}

// Index is the data structure. Put adds or replaces the object of a key, or removes it if record is nil. It is idempotent.
type Index interface {
	Put(key storage.Key, record *storage.Record)
}

// Mirror holds an Index that follows the objects of some resources. It has no goroutine: whoever reads the Index brings it up to date.
type Mirror[I Index] struct {
	source    Source
	resources []string
	empty     func() I

	seen  atomic.Uint64 // the revision of the index
	mu    sync.RWMutex
	index I
	ahead []*watch.Cursor[storage.Record] // the changes after seen; nil if the index has to be read anew
	begun bool                            // the index has been read
}

// New returns a Mirror of the objects of the resources. empty returns an Index without objects.
func New[I Index](source Source, resources []string, empty func() I) *Mirror[I] {
	return &Mirror[I]{source: source, resources: resources, empty: empty}
}

// Acquire returns the Index at a revision that is at least as recent as the present one. While nothing is written, bringing it up to date
// costs one comparison. The caller does not change the Index, and calls Release when it no longer reads it, unless Acquire fails.
func (m *Mirror[I]) Acquire() (I, error) {
	if err := m.refresh(); err != nil {
		return *new(I), err
	}
	m.mu.RLock()
	return m.index, nil
}

// Release ends the reading that Acquire began.
func (m *Mirror[I]) Release() { m.mu.RUnlock() }

// refresh brings the Index up to date.
func (m *Mirror[I]) refresh() error {
	now := uint64(m.source.Revision())
	if m.seen.Load() >= now {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen.Load() >= now { // another request was faster
		return nil
	}
	err := m.poll()
	if errors.Is(err, watch.ErrClosed) && m.begun {
		return nil // the API is shutting down, and the index decides the remaining requests as it is
	}
	if err != nil { // the store no longer holds all changes, or the index has not been read yet
		if err = m.readAnew(); err != nil {
			return err
		}
	}
	m.begun = true
	m.seen.Store(now)
	return nil
}

// errUnread means that the Index has to be read.
var errUnread = errors.New("the index has not been read")

// poll applies the changes since the last poll.
func (m *Mirror[I]) poll() error {
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
				m.index.Put(c.Scope, c.Current)
			}
		}
	}
	return nil
}

// readAnew reads the Index anew. The cursors begin before the lists, so a change may come twice, but none is lost.
func (m *Mirror[I]) readAnew() error {
	ctx := context.Background()
	for _, cursor := range m.ahead {
		cursor.Close()
	}
	m.ahead = nil
	index, ahead := m.empty(), []*watch.Cursor[storage.Record](nil)
	for _, resource := range m.resources {
		cursor, err := m.source.Watch(ctx, resource, m.source.Revision())
		if err != nil {
			return err
		}
		ahead = append(ahead, cursor)
		records, err := m.source.List(ctx, resource, "")
		if err != nil {
			return err
		}
		for _, r := range records {
			index.Put(r.Key, r)
		}
	}
	m.index, m.ahead = index, ahead
	return m.poll()
}
