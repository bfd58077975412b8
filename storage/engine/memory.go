package engine

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// New returns an empty store that keeps objects in memory only. The caller must close it.
func New(opts storage.Options) *Engine {
	opts = withDefaults(opts)
	o := newObjects(opts, Start{Revision: opts.Start, Oldest: opts.Start})
	return newEngine(o, &memory{sole{o}})
}

// memory is the committer of a store that keeps objects in memory only. A write is visible as soon as it has a
// revision.
type memory struct{ sole }

func (m *memory) commit(ctx context.Context, writes []write, claim storage.Claim,
	now time.Time) (first watch.Revision, done bool, err error) {
	first, done, pause, err := m.try(writes, claim, now)
	if pause != nil {
		err = await(ctx, pause)
	}
	return first, done, err
}

// try commits a group, unless an upgrade pauses writes. It then returns a channel that is closed when the pause ends.
func (m *memory) try(writes []write, claim storage.Claim,
	now time.Time) (first watch.Revision, done bool, pause <-chan struct{}, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first = m.revision + 1
	if pause = m.pausedBy(writes); pause != nil {
		return first, false, pause, nil
	}
	changes, ok, err := m.examine(writes, m.revision)
	if !ok || changes == 0 {
		return first, ok, nil, err
	}
	group, err := m.assign(writes, changes, claim, m.revision, now)
	if err == nil {
		err = m.publish(group, writes, group[len(group)-1].Revision)
	}
	return first, err == nil, nil, err
}

func (m *memory) refused(_ context.Context, _ []write, err error) (again bool, _ error) {
	return false, err
}

// drain returns at once, because a commit has ended when it releases the lock.
func (m *memory) drain(context.Context, *table) error { return nil }

func (m *memory) resourcesIn(context.Context, string, func(string) bool) ([]string, error) {
	return nil, nil
}

func (m *memory) load(_ context.Context, form *storage.Resource) error {
	t := newTable(form)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return storage.ErrClosed
	}
	t.changed = m.revision
	m.add(t, 0)
	return nil
}

func (m *memory) stored(context.Context, *storage.Resource, watch.Revision, func(Stored) error) error {
	return nil
}

func (m *memory) announce(context.Context, *storage.Resource) error { return nil }

func (m *memory) rewrite(context.Context, *storage.Resource, []*storage.Record) error { return nil }

func (m *memory) compact(context.Context, watch.Revision) error { return nil }

func (m *memory) ready() error { return nil }

func (m *memory) close() error {
	m.log.Close()
	return nil
}
