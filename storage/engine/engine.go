package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const (
	defaultMaxLogAge = 5 * time.Minute
	defaultMaxWait   = 3 * time.Second
	maxRevision      = 1<<53 - 1 // JavaScript and jq read numbers as floats, which are exact up to here
	leastLogBytes    = 64 << 20
	logShare         = 4 // by default, the log may hold a quarter of the live data
)

func withDefaults(o storage.Options) storage.Options {
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

// Engine is a [storage.Store] that answers every read and every watch from memory. [New] returns one that keeps objects
// in memory only. [Open] makes its writes durable in a [Backend], and [OpenReplica] shares its objects with other
// engines over an [Authority]. An engine starts no goroutine until a watch or a read waits, or history becomes too old,
// unless it is a replica. It leaves none after Close.
type Engine struct {
	*objects
	committer committer
	closing   sync.Once
	transacts atomic.Bool // a transaction has begun, so contexts may have one
}

var (
	_ storage.Store  = (*Engine)(nil)
	_ storage.Prober = (*Engine)(nil)
)

func newEngine(o *objects, c committer) *Engine { return &Engine{objects: o, committer: c} }

// Revision implements [storage.Store].
func (e *Engine) Revision() watch.Revision { return e.log.Revision() }

// Get implements [storage.Store].
func (e *Engine) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	if x := e.transactionIn(ctx); x != nil {
		return x.get(ctx, key, atLeast)
	}
	if err := e.await(ctx, atLeast); err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.lookUpOf(key)
	if err != nil {
		return nil, err
	}
	if r := e.find(t, key); r != nil {
		return r, nil
	}
	return nil, storage.ErrNotFound
}

// Watch implements [storage.Store].
func (e *Engine) Watch(
	ctx context.Context, within watch.Key, after watch.Revision, terms ...watch.Term,
) (watch.Cursor[storage.Record], error) {
	if e.transactionIn(ctx) != nil {
		return nil, inTransactionError(status.BadRequest("a transaction cannot watch"))
	}
	var by watch.Term
	everything := within == (watch.Key{}) && len(terms) == 0
	if !everything {
		t, err := e.tableIn(within)
		if err != nil {
			return nil, err
		}
		if narrowest := e.narrowest(t, within, terms); narrowest != nil {
			by = *narrowest
		}
	}
	if err := e.await(ctx, max(after, storage.Any)); err != nil {
		return nil, err
	}
	cursor, err := e.log.CursorOn(within, by, after)
	if err != nil || everything {
		return cursor, err
	}
	if _, err := e.tableIn(within); err != nil { // Unregister may have ended the cursors before this one
		cursor.Close()
		return nil, err
	}
	return cursor, nil
}

// Compact implements [storage.Store].
func (e *Engine) Compact(ctx context.Context, through watch.Revision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	through, err := e.compactLog(through)
	if err != nil {
		return err
	}
	return e.committer.compact(ctx, through)
}

// compactLog drops the history in memory, and returns the revision up to which the stored history can be dropped as
// well. It gives the lock to others again and again, because the history may be long.
func (o *objects) compactLog(through watch.Revision) (watch.Revision, error) {
	for {
		at, more, err := o.compactSome(through)
		if !more {
			return at, err
		}
	}
}

// compactSome drops a part of the history. more reports whether there may be more to drop.
func (o *objects) compactSome(through watch.Revision) (at watch.Revision, more bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return 0, false, storage.ErrClosed
	}
	more = o.log.CompactSome(through)
	o.forget(o.log.Compacted())
	return min(through, o.revision), more, nil
}

// Ready implements [storage.Prober].
func (e *Engine) Ready() error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return storage.ErrClosed
	}
	return e.committer.ready()
}

// Close implements [storage.Store]. It returns the error of the backend or of the authority.
func (e *Engine) Close() (err error) {
	e.closing.Do(func() {
		e.refuseCalls()
		err = e.committer.close()
	})
	return err
}

// refuseCalls makes calls that begin later fail with [storage.ErrClosed].
func (o *objects) refuseCalls() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// await waits until the store has reached a revision, for at most MaxWait.
func (e *Engine) await(ctx context.Context, revision watch.Revision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if revision == storage.MostRecent {
		return e.committer.confirm(ctx)
	}
	if revision <= e.log.Revision() {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, e.opts.MaxWait)
	defer cancel()
	e.committer.reach(bounded, revision)
	err := e.log.Wait(bounded, revision)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return status.TooLargeResourceVersion(uint64(revision), uint64(e.log.Revision()))
	}
	return err
}
