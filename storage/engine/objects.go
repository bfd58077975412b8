package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/internal/intern"
	"github.com/decorum-go/decorum/watch"
)

// objects are what an engine holds in memory: the latest records, the log of recent changes, and a few old snapshots.
// The engine reads them. Its [committer] changes them, with publish.
type objects struct {
	opts   storage.Options
	log    *watch.Log[storage.Record]
	past   past
	ledger storage.Ledger // nil without limits
	// maxTexts is how many bytes of texts are in memory for readers, or 0 if all texts are.
	maxTexts int64
	// forgotten is called when the log has dropped all changes up to a revision, unless it is nil.
	forgotten func(dropped watch.Revision)
	probes    sync.Pool    // *Record, search keys for the trees
	live      atomic.Int64 // bytes of the latest records

	conflicts, syncs atomic.Uint64 // conflicts, syncs and syncTime: see [storage.StoreStats]
	syncTime         atomic.Int64
	turns            turns

	// Lock order: a table's turn to build, then mu, then the locks of past and of the log. A goroutine that waits for a
	// turn holds no lock. The functions of the host (Extract, Upgrade, the update functions and Match) run without any of
	// these locks.
	mu       sync.RWMutex // guards tables, their records and all below; held while the log is appended to
	tables   map[string]*table
	revision watch.Revision // the revision of the latest visible commit
	commits  uint64         // how many commits have become visible
	closed   bool

	registering chan struct{} // holds a value while a resource is being registered
}

// table is the latest state of one resource.
type table struct {
	name       string
	namespaced bool
	form       *storage.Resource // replaced when the resource is registered again
	origin     unloader          // nil if the records hold their texts
	dormant    bool              // the resource was unregistered
	booked     bool              // the ledger counts the records
	holders    []storage.Holder  // who has registered the resource
	tree       *records
	indexes    []index
	changed    watch.Revision // revision of the last change, or of the start
	changes    uint64         // how many were made visible
	latest     *snapshot      // a copy of the tree; nil after a change until the next list
	names      *intern.Table
	builder    *builder // builds old states
	ahead      map[storage.Key]ahead
	last       *pending               // the youngest group that changes the table and is not published yet
	newer      map[storage.Key]string // the forms of records that a newer program has stored
	bad        map[storage.Key]error  // why a replica does not serve an object that another one has stored
	paused     chan struct{}          // closed when a pause of commits ends; nil without a pause
	proposals  *sync.WaitGroup        // the proposals of a replica in progress
}

// unloader takes the texts out of the records of a table. It is an [origin], which a program with a store in memory does
// not link.
type unloader interface {
	// unload makes a record that no other goroutine has seen read its text when it is asked for. With fill, the text stays
	// in memory while there is room.
	unload(r *storage.Record, fill bool)
	// follow tells the origin which form its table has. Nil says that the table has left the form of the origin.
	follow(form *storage.Resource)
}

// unload takes the text out of a record that no other goroutine has seen, unless the table holds all texts.
func (t *table) unload(r *storage.Record, fill bool) {
	if t.origin != nil {
		t.origin.unload(r, fill)
	}
}

// ownKey returns a copy of a key, so that a record keeps no memory of a request alive. Records share the text of their
// namespace.
func (t *table) ownKey(k storage.Key) storage.Key {
	return storage.Key{Resource: t.name, Namespace: t.names.String([]byte(k.Namespace)), Name: strings.Clone(k.Name)}
}

func newObjects(opts storage.Options, start Start) *objects {
	o := &objects{opts: opts, tables: map[string]*table{}, revision: start.Revision, registering: make(chan struct{}, 1)}
	o.past.maxBytes = func() int64 { return o.logLimit() / pastShare }
	o.probes.New = func() any { return new(storage.Record) }
	if opts.Ledger != nil {
		o.ledger = opts.Ledger()
	}
	o.log = watch.NewLog(watch.LogOptions[storage.Record]{
		Start:     start.Revision,
		Oldest:    start.Oldest,
		MaxAge:    opts.MaxLogAge,
		MaxBytes:  o.logLimit,
		Size:      heldByChange,
		StateSize: textSize,
		Value:     (*storage.Record).Value,
		Aged:      o.forget,
		Now:       opts.Now,
	})
	return o
}

// logLimit returns how many bytes the log may hold.
func (o *objects) logLimit() int64 {
	switch {
	case o.opts.MaxLogBytes > 0:
		return o.opts.MaxLogBytes
	case o.maxTexts > 0:
		return max(1, o.maxTexts/logShare)
	}
	return max(leastLogBytes, o.live.Load()/logShare)
}

// forget drops what only changes up to a revision need, which the log has dropped.
func (o *objects) forget(dropped watch.Revision) {
	o.past.forget(nil, dropped)
	if o.forgotten != nil {
		o.forgotten(dropped)
	}
}

// heldByChange returns the number of bytes that stay in memory only because the log holds a change. These are the bytes
// of the state before it, without the parts that the state after it shares. The state after it is alive anyway, in the
// tree or as the state before a later change.
func heldByChange(c *watch.Change[storage.Record]) int64 {
	switch {
	case c.Previous == nil:
		return 0
	case c.Current == nil:
		return sizeOf(c.Previous)
	}
	return sizeBeside(c.Previous, c.Current)
}

// before orders the records of a resource.
func before(a, b *storage.Record) bool { return keyBefore(a.Key, b.Key) }

func keyBefore(a, b storage.Key) bool {
	if a.Namespace != b.Namespace {
		return a.Namespace < b.Namespace
	}
	return a.Name < b.Name
}

// find returns the latest record of a key, or nil. The caller holds the lock.
func (o *objects) find(t *table, key storage.Key) *storage.Record {
	if r, known := t.tree.at(key); known {
		return r
	}
	probe := o.probes.Get().(*storage.Record)
	probe.Key = key
	r, _ := t.tree.Get(probe)
	probe.Key = storage.Key{} // the pool must not keep the strings of a request alive
	o.probes.Put(probe)
	return r
}

// tableIn returns the table of a scope, or an error if the scope does not fit its resource.
func (o *objects) tableIn(within watch.Key) (*table, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.lookUp(within)
}

// lookUp is tableIn for a caller that holds the lock.
func (o *objects) lookUp(within watch.Key) (*table, error) {
	t := o.tables[within.Resource]
	switch {
	case o.closed:
		return nil, storage.ErrClosed
	case within.Space != "":
		return nil, fmt.Errorf("%w: the store has no space %q", storage.ErrKey, within.Space)
	case t == nil || t.dormant:
		return nil, notRegistered(within.Resource)
	case !t.namespaced && within.Namespace != "":
		return nil, fmt.Errorf("%w: %q has no namespaces", storage.ErrKey, within.Resource)
	case t.namespaced && within.Namespace == "" && within.Name != "":
		return nil, fmt.Errorf("%w: a name in %q needs a namespace", storage.ErrKey, within.Resource)
	}
	return t, nil
}

// tableOf returns the table of a key.
func (o *objects) tableOf(key storage.Key) (*table, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.lookUpOf(key)
}

// lookUpOf is tableOf for a caller that holds the lock.
func (o *objects) lookUpOf(key storage.Key) (*table, error) {
	t, err := o.lookUp(key)
	if err == nil && key.Name == "" {
		return nil, fmt.Errorf("%w: a key needs a name", storage.ErrKey)
	}
	return t, err
}

// add begins to serve a table, whose records have this many bytes. The caller holds the lock.
func (o *objects) add(t *table, live int64) {
	o.tables[t.name] = t
	o.bookTable(t)
	o.live.Add(live)
}

// removeEmpty removes a table without records, and reports whether it has removed it. The caller holds the lock.
func (o *objects) removeEmpty(t *table) bool {
	if t.tree.Len() > 0 {
		return false
	}
	delete(o.tables, t.name)
	return true
}

// beginRegistering waits until no other resource is being registered.
func (o *objects) beginRegistering(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case o.registering <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (o *objects) endRegistering() { <-o.registering }

func (o *objects) formOf(t *table) *storage.Resource {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return t.form
}
