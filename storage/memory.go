package storage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/btree"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

const (
	defaultMaxLogAge = 5 * time.Minute
	defaultMaxWait   = 3 * time.Second
	maxRevision      = 1<<53 - 1 // JavaScript and jq read numbers as floats, which are exact up to here
	leastLogBytes    = 64 << 20
	logShare         = 4 // by default, the log may hold a quarter of the live data
)

// MemoryOptions configures a [Memory]. The zero value selects the defaults.
type MemoryOptions struct {
	// Start is the revision of the empty store. The first commit has the next one. Zero means the clock in microseconds since 1970. This
	// lies above every revision of an earlier store whose clients may still run, so a watch that resumes from such a revision gets 410
	// Expired, and its client lists again. A test that expects certain revisions starts at 1. From 2^53 on, Register and writes fail with
	// [ErrRevision].
	Start watch.Revision
	// MaxLogAge is how long the history keeps a change. Each write drops older changes. Zero means 5 minutes.
	MaxLogAge time.Duration
	// MaxLogBytes bounds what the changes of the history hold, and wins over MaxLogAge. Zero means 64 MiB or a quarter of the live data,
	// whichever is more. Snapshots of old states may hold a quarter of this bound in addition.
	MaxLogBytes int64
	// MaxWait bounds how long a read or a watch waits for a revision that the store has not reached. Zero means 3 seconds.
	MaxWait time.Duration
	// Now is the clock for Start, MaxLogAge and [Record.Written]. Nil means time.Now.
	Now func() time.Time
}

// Memory is a [Store] that keeps everything in memory. It starts no goroutine until a watch or a read waits, and leaves none after Close.
type Memory struct {
	maxWait     time.Duration
	maxLogBytes int64 // zero means the default
	now         func() time.Time
	log         *watch.Log[Record]
	past        past
	probes      sync.Pool    // *Record, search keys for the trees
	live        atomic.Int64 // bytes of the latest records

	// Lock order: a table's turn to build, then mu, then the locks of past and of the log. A goroutine that waits for a turn holds no
	// lock. The functions of the host (Extract, Upgrade, the update functions and Match) run without any of these locks.
	mu       sync.RWMutex // guards tables, their trees and revision; held while the log is appended to
	tables   map[string]*table
	revision watch.Revision
	closed   bool
}

// table is the latest state of one resource.
type table struct {
	name       string
	namespaced bool
	form       *Resource // replaced when the resource is registered anew
	tree       *btree.BTreeG[*Record]
	indexes    []index
	changed    watch.Revision // revision of the last change, or of the start
	latest     *snapshot      // a copy of the tree; nil after a change until the next list
	names      *interner
	builder    *builder // builds old states
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store. The caller must close it.
func NewMemory(opts MemoryOptions) *Memory {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Start == 0 {
		opts.Start = watch.Revision(max(1, opts.Now().UnixMicro()))
	}
	if opts.MaxLogAge == 0 {
		opts.MaxLogAge = defaultMaxLogAge
	}
	if opts.MaxWait == 0 {
		opts.MaxWait = defaultMaxWait
	}
	m := &Memory{maxWait: opts.MaxWait, maxLogBytes: opts.MaxLogBytes, now: opts.Now, tables: map[string]*table{}, revision: opts.Start}
	m.past.maxBytes = func() int64 { return m.logLimit() / pastShare }
	m.probes.New = func() any { return new(Record) }
	m.log = watch.NewLog(watch.LogOptions[Record]{
		Start:     opts.Start,
		MaxAge:    opts.MaxLogAge,
		MaxBytes:  m.logLimit,
		Size:      heldByChange,
		StateSize: (*Record).size,
		Value:     func(r *Record, i watch.Index) (string, bool) { return r.valueIn(i) },
		Now:       opts.Now,
	})
	return m
}

// logLimit returns how many bytes the log may hold.
func (m *Memory) logLimit() int64 {
	if m.maxLogBytes > 0 {
		return m.maxLogBytes
	}
	return max(leastLogBytes, m.live.Load()/logShare)
}

// heldByChange returns how many bytes stay alive only because the log holds a change: those of the state before it, without the parts that
// the state after it shares. The state after it is alive anyway, in the tree or as the state before a later change.
func heldByChange(c *watch.Change[Record]) int64 {
	switch {
	case c.Previous == nil:
		return 0
	case c.Current == nil:
		return c.Previous.size()
	}
	return c.Previous.sizeBeside(c.Current)
}

// before orders the records of a resource.
func before(a, b *Record) bool { return keyBefore(a.Key, b.Key) }

func keyBefore(a, b Key) bool {
	if a.Namespace != b.Namespace {
		return a.Namespace < b.Namespace
	}
	return a.Name < b.Name
}

// Revision implements [Store].
func (m *Memory) Revision() watch.Revision { return m.log.Revision() }

// Get implements [Store].
func (m *Memory) Get(ctx context.Context, key Key, atLeast watch.Revision) (*Record, error) {
	t, err := m.tableOf(key)
	if err != nil {
		return nil, err
	}
	if err := m.await(ctx, atLeast); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	if r := m.find(t, key); r != nil {
		return r, nil
	}
	return nil, ErrNotFound
}

// find returns the latest record of a key, or nil. The caller holds the lock.
func (m *Memory) find(t *table, key Key) *Record {
	probe := m.probes.Get().(*Record)
	probe.Key = key
	r, _ := t.tree.Get(probe)
	probe.Key = Key{} // or the pool would keep the strings of a request alive
	m.probes.Put(probe)
	return r
}

// Watch implements [Store].
func (m *Memory) Watch(ctx context.Context, scope watch.Scope, after watch.Revision, terms ...watch.Term) (*watch.Cursor[Record], error) {
	var by watch.Term
	if scope != (watch.Scope{}) || len(terms) > 0 {
		t, err := m.tableIn(scope)
		if err != nil {
			return nil, err
		}
		if narrowest := m.narrowest(t, scope, terms); narrowest != nil {
			by = *narrowest
		}
	}
	if err := m.await(ctx, after); err != nil {
		return nil, err
	}
	return m.log.CursorOn(scope, by, after)
}

// Compact implements [Store].
func (m *Memory) Compact(ctx context.Context, through watch.Revision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.log.Compact(through)
	m.past.forget(nil, m.log.Compacted())
	return nil
}

// Close implements [Store]. It returns nil.
func (m *Memory) Close() error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.log.Close()
	return nil
}

// tableIn returns the table of a scope, or an error if the scope does not fit its resource.
func (m *Memory) tableIn(scope watch.Scope) (*table, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	t := m.tables[scope.Resource]
	switch {
	case m.closed:
		return nil, ErrClosed
	case t == nil:
		return nil, fmt.Errorf("%w: %q is not registered", ErrResource, scope.Resource)
	case !t.namespaced && scope.Namespace != "":
		return nil, fmt.Errorf("%w: %q has no namespaces", ErrKey, scope.Resource)
	case t.namespaced && scope.Namespace == "" && scope.Name != "":
		return nil, fmt.Errorf("%w: a name in %q needs a namespace", ErrKey, scope.Resource)
	}
	return t, nil
}

// tableOf returns the table of a key.
func (m *Memory) tableOf(key Key) (*table, error) {
	t, err := m.tableIn(key)
	if err == nil && key.Name == "" {
		return nil, fmt.Errorf("%w: a key needs a name", ErrKey)
	}
	return t, err
}

// await blocks until the store has reached a revision, for at most maxWait.
func (m *Memory) await(ctx context.Context, revision watch.Revision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if revision <= m.log.Revision() {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, m.maxWait)
	defer cancel()
	err := m.log.Wait(bounded, revision)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return status.TooLargeResourceVersion(uint64(revision), uint64(m.log.Revision()))
	}
	return err
}
