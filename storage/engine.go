package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// Options configures an [Engine]. The zero value selects the defaults.
type Options struct {
	// Start is the revision of the empty store. The first commit has the next revision. A store that already contains objects starts above its
	// last revision if that is higher. Zero means the clock, in microseconds since 1970. The clock is above every revision of an earlier
	// store, so if a client resumes a watch from such a revision, it gets 410 Expired and lists again. Tests that expect fixed revisions set
	// Start to 1. From 2^53 on, Register and writes fail with [ErrRevision].
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
	// OverwriteNewer permits this program to write objects that a newer version of the program has stored, for example after a rollback. Such
	// a write drops the fields that this program does not know. By default, such writes fail with [ErrReadOnly].
	OverwriteNewer bool
	// Logger receives an error for each object that a replica cannot read. Nil means slog.Default.
	Logger *slog.Logger
	// Ledger returns a new ledger, which limits what the engine holds. Replicas of one store must have the same limits. Nil means no limits.
	Ledger func() Ledger
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Start == 0 {
		o.Start = watch.Revision(max(1, o.Now().UnixMicro()))
	}
	if o.MaxLogAge == 0 {
		o.MaxLogAge = defaultMaxLogAge
	}
	if o.MaxWait == 0 {
		o.MaxWait = defaultMaxWait
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Engine is a [Store] that answers every read and every watch from memory. A [Backend] makes its writes durable; without one it is a
// [Memory]. An engine starts no goroutine until a watch or a read waits, and leaves none after Close.
type Engine struct {
	opts    Options
	backend Backend  // nil for a store in memory and for a replica
	replica *replica // nil unless the store is a replica
	log     *watch.Log[Record]
	past    past
	ledger  Ledger       // nil without limits
	probes  sync.Pool    // *Record, search keys for the trees
	live    atomic.Int64 // bytes of the latest records

	// Lock order: a table's turn to build, then mu, then the locks of past and of the log. A goroutine that waits for a turn holds no
	// lock. The functions of the host (Extract, Upgrade, the update functions and Match) run without any of these locks.
	mu       sync.RWMutex // guards tables, their trees and all below; held while the log is appended to
	tables   map[string]*table
	revision watch.Revision // of the latest visible commit
	closed   bool
	readOnly error // the reason for refusing writes, or nil
	queue

	registering chan struct{} // holds a value while a resource is being registered
}

// table is the latest state of one resource.
type table struct {
	name       string
	namespaced bool
	form       *Resource // replaced when the resource is registered anew
	dormant    bool      // the resource was unregistered
	booked     bool      // the ledger counts the records
	holders    []Holder  // who has registered the resource
	tree       *btree.BTreeG[*Record]
	indexes    []index
	changed    watch.Revision // revision of the last change, or of the start
	latest     *snapshot      // a copy of the tree; nil after a change until the next list
	names      *interner
	builder    *builder // builds old states
	ahead      map[Key]ahead
	newer      map[Key]string  // the forms of records that a newer program has stored
	bad        map[Key]error   // why a replica does not serve an object that another one has stored
	paused     chan struct{}   // closed when a pause of commits ends; nil without a pause
	proposals  *sync.WaitGroup // the proposals of a replica in progress
}

var (
	_ Store  = (*Engine)(nil)
	_ Prober = (*Engine)(nil)
)

// Open returns an engine for the objects in a backend. The caller must close the engine, which closes the backend. If Open returns an
// error, it has already closed the backend.
func Open(ctx context.Context, backend Backend, opts Options) (*Engine, error) {
	opts = opts.withDefaults()
	start, err := backend.Begin(ctx, opts.Start)
	if err != nil {
		return nil, errors.Join(err, backend.Close())
	}
	return newEngine(backend, opts, start), nil
}

func newEngine(backend Backend, opts Options, start Start) *Engine {
	m := &Engine{opts: opts, backend: backend, tables: map[string]*table{}, revision: start.Revision, registering: make(chan struct{}, 1)}
	m.assigned = start.Revision
	if start.ReadOnly != nil {
		m.readOnly = ReadOnly(start.ReadOnly)
	}
	m.past.maxBytes = func() int64 { return m.logLimit() / pastShare }
	m.probes.New = func() any { return new(Record) }
	if opts.Ledger != nil {
		m.ledger = opts.Ledger()
	}
	m.log = watch.NewLog(watch.LogOptions[Record]{
		Start:     start.Revision,
		Oldest:    start.Oldest,
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
func (m *Engine) logLimit() int64 {
	if m.opts.MaxLogBytes > 0 {
		return m.opts.MaxLogBytes
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
func (m *Engine) Revision() watch.Revision { return m.log.Revision() }

// Get implements [Store].
func (m *Engine) Get(ctx context.Context, key Key, atLeast watch.Revision) (*Record, error) {
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
func (m *Engine) find(t *table, key Key) *Record {
	probe := m.probes.Get().(*Record)
	probe.Key = key
	r, _ := t.tree.Get(probe)
	probe.Key = Key{} // or the pool would keep the strings of a request alive
	m.probes.Put(probe)
	return r
}

// Watch implements [Store].
func (m *Engine) Watch(ctx context.Context, scope watch.Scope, after watch.Revision, terms ...watch.Term) (*watch.Cursor[Record], error) {
	var by watch.Term
	everything := scope == (watch.Scope{}) && len(terms) == 0
	if !everything {
		t, err := m.tableIn(scope)
		if err != nil {
			return nil, err
		}
		if narrowest := m.narrowest(t, scope, terms); narrowest != nil {
			by = *narrowest
		}
	}
	if err := m.await(ctx, max(after, Any)); err != nil {
		return nil, err
	}
	cursor, err := m.log.CursorOn(scope, by, after)
	if err != nil || everything {
		return cursor, err
	}
	if _, err := m.tableIn(scope); err != nil { // Unregister may have ended the cursors before this one
		cursor.Close()
		return nil, err
	}
	return cursor, nil
}

// Compact implements [Store].
func (m *Engine) Compact(ctx context.Context, through watch.Revision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	through, err := m.compactLog(through)
	if err == nil && m.replica != nil {
		defer m.replica.commits.Done()
		return m.replica.authority.Compact(ctx, through)
	}
	if err != nil || m.backend == nil || m.Ready() != nil {
		return err
	}
	err = m.backend.Compact(ctx, through)
	if err != nil && ctx.Err() == nil {
		m.mu.Lock()
		m.refuseWrites(err)
		m.mu.Unlock()
	}
	return err
}

// compactLog drops the history in memory, and returns the revision up to which the backend can drop it as well.
func (m *Engine) compactLog(through watch.Revision) (watch.Revision, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, ErrClosed
	}
	if m.replica != nil {
		m.replica.commits.Add(1)
	}
	m.log.Compact(through)
	m.past.forget(nil, m.log.Compacted())
	return min(through, m.revision), nil
}

// Ready implements [Prober].
func (m *Engine) Ready() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return ErrClosed
	}
	if m.replica != nil {
		if err := m.replica.failure(); err != nil {
			return Unavailable(err)
		}
	}
	return m.readOnly
}

// Close implements [Store]. It returns the error of the backend.
func (m *Engine) Close() error {
	m.mu.Lock()
	first := !m.closed
	m.closed = true
	last := m.last
	m.mu.Unlock()
	if last != nil {
		<-last.done
	}
	if first && m.replica != nil {
		m.registering <- struct{}{}
		defer m.endRegistering()
		defer m.log.Close()
		return m.replica.close()
	}
	m.log.Close()
	if !first || m.backend == nil {
		return nil
	}
	m.registering <- struct{}{} // wait for a registration that is still reading
	defer m.endRegistering()
	return m.backend.Close()
}

// tableIn returns the table of a scope, or an error if the scope does not fit its resource.
func (m *Engine) tableIn(scope watch.Scope) (*table, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	t := m.tables[scope.Resource]
	switch {
	case m.closed:
		return nil, ErrClosed
	case t == nil || t.dormant:
		return nil, notRegistered(scope.Resource)
	case !t.namespaced && scope.Namespace != "":
		return nil, fmt.Errorf("%w: %q has no namespaces", ErrKey, scope.Resource)
	case t.namespaced && scope.Namespace == "" && scope.Name != "":
		return nil, fmt.Errorf("%w: a name in %q needs a namespace", ErrKey, scope.Resource)
	}
	return t, nil
}

// tableOf returns the table of a key.
func (m *Engine) tableOf(key Key) (*table, error) {
	t, err := m.tableIn(key)
	if err == nil && key.Name == "" {
		return nil, fmt.Errorf("%w: a key needs a name", ErrKey)
	}
	return t, err
}

// await blocks until the store has reached a revision, for at most maxWait.
func (m *Engine) await(ctx context.Context, revision watch.Revision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.replica != nil && revision == MostRecent {
		_, err := m.check(ctx)
		return err
	}
	if revision <= m.log.Revision() {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, m.opts.MaxWait)
	defer cancel()
	if m.replica != nil {
		m.reach(bounded, revision)
	}
	err := m.log.Wait(bounded, revision)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return status.TooLargeResourceVersion(uint64(revision), uint64(m.log.Revision()))
	}
	return err
}
