package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Open returns an engine for the objects in a backend. The caller must close the engine, which closes the backend. If
// Open returns an error, it has already closed the backend.
//
// Open is for authors of stores. A host calls the Open of a package with a store, such as storage/bolt.
func Open(ctx context.Context, backend Backend, opts storage.Options) (*Engine, error) {
	opts = withDefaults(opts)
	start, err := backend.Begin(ctx, opts.Start)
	if err != nil {
		return nil, errors.Join(err, backend.Close())
	}
	o := newObjects(opts, start)
	d := &durable{sole: sole{o}, backend: backend, queue: queue{assigned: start.Revision}}
	if limited, ok := backend.(TextBackend); ok && limited.MaxTextBytes() > 0 {
		d.texts = newTexts(limited, d.isLatest)
		o.maxTexts, o.forgotten = d.texts.limit, d.texts.release
	}
	if start.ReadOnly != nil {
		d.readOnly = storage.ReadOnly(start.ReadOnly)
	}
	return newEngine(o, d), nil
}

// durable is the committer of a store with a [Backend]. It assigns a revision to a group, appends the group to the
// backend, and publishes it. Update functions see assigned records; readers see only published ones.
type durable struct {
	sole
	backend Backend
	texts   *texts // nil if all texts are in memory

	// The lock of the objects guards these.
	readOnly error // the reason for refusing writes, or nil
	queue
}

func (d *durable) commit(ctx context.Context, writes []write, claim storage.Claim,
	now time.Time) (first watch.Revision, done bool, err error) {
	e := d.enqueue(writes, claim, now)
	switch {
	case e.pause != nil:
		return 0, false, await(ctx, e.pause)
	case e.refused:
		return 0, false, d.refusal(ctx, e.last, e.err)
	case e.group == nil:
		return e.first, true, d.settled(ctx, writes)
	}
	err = d.settle(ctx, e.group, e.batch)
	return e.first, err == nil, err
}

// refused implements [committer]. If the append of a record that the function saw fails, it returns the error that
// makes the store read-only.
func (d *durable) refused(ctx context.Context, writes []write, err error) (again bool, _ error) {
	if unsettled := d.settled(ctx, writes); unsettled != nil {
		return false, unsettled
	}
	return false, err
}

// settled waits until the records that the update function saw are durable.
func (d *durable) settled(ctx context.Context, writes []write) error {
	for i := range writes {
		by := writes[i].after
		if by == nil {
			continue
		}
		if err := await(ctx, by.done); err != nil {
			return err
		}
		if by.err != nil {
			return d.failure()
		}
	}
	return nil
}

// refusal returns the error of a group that was not assigned. Pending groups may have used up a quota. A client must
// not learn of them until they are durable.
func (d *durable) refusal(ctx context.Context, last *pending, err error) error {
	if _, ok := errors.AsType[*storage.Exceeded](err); !ok || last == nil {
		return err
	}
	if err := await(ctx, last.done); err != nil {
		return err
	}
	if last.err != nil {
		return d.failure()
	}
	return err
}

// failure returns why the store refuses writes, or nil.
func (d *durable) failure() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return storage.ErrClosed
	}
	return d.readOnly
}

// refuse returns an error if the store must refuse a group. The caller holds the lock.
func (d *durable) refuse(writes []write) error {
	if d.readOnly != nil {
		return d.readOnly
	}
	grown := int64(0)
	for i := range writes {
		w := &writes[i]
		if !w.changes {
			continue
		}
		grown += w.grown
		if err := d.refuseNewer(w); err != nil {
			return err
		}
	}
	if limiter, ok := d.backend.(BoundedBackend); ok && grown > 0 {
		if err := limiter.Room(grown); err != nil {
			return storage.ReadOnly(err)
		}
	}
	return nil
}

// refuseWrites makes the store read-only. The caller holds the lock.
func (d *durable) refuseWrites(err error) {
	if d.readOnly == nil {
		d.readOnly = storage.ReadOnly(err)
	}
}

// change calls a method of the backend that changes what is stored, unless the store refuses writes. If the method
// fails, the store refuses writes from then on.
func (d *durable) change(ctx context.Context, do func() error) error {
	if d.failure() != nil {
		return nil
	}
	err := do()
	if err != nil && ctx.Err() == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.refuseWrites(err)
	}
	return err
}

func (d *durable) drain(ctx context.Context, t *table) error { return d.awaitPending(ctx, t) }

func (d *durable) resourcesIn(ctx context.Context, namespace string,
	inMemory func(resource string) bool) ([]string, error) {
	if err := d.beginRegistering(ctx); err != nil { // the backend must not be closed meanwhile
		return nil, err
	}
	defer d.endRegistering()
	return d.backend.ResourcesIn(ctx, namespace, inMemory)
}

// load reads without a lock, because no other goroutine can see the table yet.
func (d *durable) load(ctx context.Context, form *storage.Resource) error {
	l := &loading{objects: d.objects, table: newTable(form)}
	l.table.origin = d.origin(form)
	if err := d.stored(ctx, form, 0, func(s Stored) error { return l.take(ctx, s) }); err != nil {
		return err
	}
	if err := d.rewrite(ctx, form, l.upgraded); err != nil {
		return err
	}
	l.floor = d.log.Floor(watch.Key{Resource: form.Name}) // Unregister has ended the history before it
	oldest, err := d.backend.History(ctx, form.Name, l.undo(ctx))
	if err != nil && !errors.Is(err, errFormChanged) {
		return err
	}
	l.floor = max(l.floor, oldest)
	slices.Reverse(l.past)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return storage.ErrClosed
	}
	if err := d.log.Restore(storage.Key{Resource: form.Name}, l.floor, l.past); err != nil {
		return err
	}
	d.add(l.table, l.live)
	return nil
}

// isLatest reports whether a record is the latest one of its object. It returns false if it would have to wait, because
// a ledger may read a text while its caller holds the lock.
func (d *durable) isLatest(r *storage.Record) bool {
	if !d.mu.TryRLock() {
		return false
	}
	defer d.mu.RUnlock()
	t := d.tables[r.Key.Resource]
	return t != nil && d.find(t, r.Key) == r
}

// origin implements [committer].
func (d *durable) origin(form *storage.Resource) unloader {
	if d.texts == nil {
		return nil
	}
	return d.texts.newOrigin(form)
}

// stored yields the latest records. The engine shows them all, or will once their groups are published.
func (d *durable) stored(
	ctx context.Context, form *storage.Resource, _ watch.Revision, yield func(Stored) error,
) error {
	return d.backend.Load(ctx, form.Name, form.Fingerprint, yield)
}

func (d *durable) announce(ctx context.Context, form *storage.Resource) error {
	return d.rewrite(ctx, form, nil)
}

func (d *durable) rewrite(ctx context.Context, form *storage.Resource, records []*storage.Record) error {
	return d.change(ctx, func() error { return d.backend.Rewrite(ctx, form.Name, form.Fingerprint, records) })
}

func (d *durable) compact(ctx context.Context, through watch.Revision) error {
	return d.change(ctx, func() error { return d.backend.Compact(ctx, through) })
}

func (d *durable) ready() error { return d.readOnly }

// close waits for a registration that is still reading, before it closes the backend.
func (d *durable) close() error {
	if last := d.youngest(); last != nil {
		<-last.done
	}
	d.log.Close()
	d.registering <- struct{}{}
	defer d.endRegistering()
	return d.backend.Close()
}

// youngest returns the youngest group that is not published yet, or nil.
func (d *durable) youngest() *pending {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.last
}
