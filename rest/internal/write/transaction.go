package write

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/steps"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Transaction is one attempt to run the function of a transaction. The contexts of its calls carry it. The store knows
// what the function has written; this knows what must wait until the store has committed it.
type Transaction struct {
	store storage.Store
	// rehearses: every write is a dry run, but later calls of the transaction see it.
	rehearses bool

	mu    sync.Mutex
	after []func(Committed)
}

// Committed are the changes that the store has committed for a transaction. It contains only objects that the
// transaction has changed.
type Committed map[storage.Key]watch.Change[storage.Record]

type transactionKey struct{}

// TransactionOf returns the transaction of a context in a store, or nil.
func TransactionOf(ctx context.Context, store storage.Store) *Transaction {
	if t, _ := ctx.Value(transactionKey{}).(*Transaction); t != nil && t.store == store {
		return t
	}
	return nil
}

// AfterCommit calls f when the transaction has committed. If it does not, f is dropped.
func (t *Transaction) AfterCommit(f func(Committed)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.after = append(t.after, f)
}

// errRehearsed ends a transaction that is not to be committed.
var errRehearsed = errors.New("rest: the transaction was a rehearsal")

// Transact commits what fn does with its context as a unit, see [storage.Transactor]. If it rehearses, it commits
// nothing. If ctx belongs to a transaction, fn joins that one.
func (all *Writes) Transact(ctx context.Context, rehearses bool, fn func(context.Context) error) error {
	store, ok := all.env.Store.(storage.Transactor)
	if !ok {
		return status.BadRequest("the store of the API has no transactions")
	}
	if outer := TransactionOf(ctx, all.env.Store); outer != nil {
		if rehearses && !outer.rehearses {
			return status.BadRequest("a rehearsal cannot be a part of a transaction")
		}
		_, err := store.Transact(ctx, fn)
		return err
	}
	var t *Transaction
	changes, err := store.Transact(ctx, func(ctx context.Context) error {
		t = &Transaction{store: all.env.Store, rehearses: rehearses}
		err := fn(context.WithValue(ctx, transactionKey{}, t))
		if err == nil && rehearses {
			err = errRehearsed
		}
		return err
	})
	switch {
	case errors.Is(err, errRehearsed):
		return nil
	case err != nil:
		return transactionError(err)
	}
	committed := make(Committed, len(changes))
	for _, c := range changes {
		committed[c.Key] = c
	}
	for _, f := range t.after {
		f(committed)
	}
	return nil
}

// transactionError turns the store's error about a whole transaction into the Status for the client.
func transactionError(err error) error {
	if _, ok := errors.AsType[*status.Error](err); ok {
		return err
	}
	if errors.Is(err, storage.ErrContended) {
		conflict := status.Conflict(apimeta.GroupResource{}, "", "")
		conflict.Status.Message = fmt.Sprintf("what the transaction has read changed during each of %d attempts to commit it",
			storage.MaxAttempts)
		conflict.Status.Details = nil
		return conflict.WithCause(err)
	}
	if exceeded, ok := errors.AsType[*storage.Exceeded](err); ok {
		return status.Forbidden(apimeta.GroupResource{}, "", exceeded.Error()).WithCause(err)
	}
	return err
}

// join makes the write a part of the transaction of its context, if any. In a rehearsal, each write is a dry run.
func (w *Write) join(ctx context.Context) error {
	if w.in = TransactionOf(ctx, w.res.Host.Store); w.in == nil {
		return nil
	}
	if w.res.Apart {
		return status.BadRequest("the kind has a store of its own, so a transaction cannot write its objects")
	}
	w.Asked.DryRun = w.Asked.DryRun || w.in.rehearses
	return nil
}

// storesNothing reports whether the write is a dry run whose result no later call needs. Later calls of a
// rehearsal need the results of earlier ones.
func (w *Write) storesNothing() bool { return w.Asked.DryRun && (w.in == nil || !w.in.rehearses) }

// changed reports whether a commit has changed the object. All records that a transaction has not committed have the
// revision 0.
func (w *Write) changed(record *storage.Record) bool {
	if w.in != nil {
		return w.removes || record != w.found
	}
	return w.found == nil || w.found.Revision != record.Revision
}

// reportChange reports a change to the observer when it is committed: now, or by the transaction of the write.
func (w *Write) reportChange(ctx context.Context, key storage.Key, c observe.ObjectChange) {
	if w.in == nil {
		w.observer.Committed(ctx, c)
		return
	}
	w.in.committedLater(ctx, w.observer, key, c)
}

// committedLater reports a change to an observer when the transaction has committed it.
func (t *Transaction) committedLater(ctx context.Context, observer steps.Observer, key storage.Key,
	c observe.ObjectChange) {
	t.AfterCommit(func(committed Committed) {
		if change, ok := committed[key]; ok {
			c.Revision = uint64(change.Revision)
			observer.Committed(ctx, c)
		}
	})
}

// endDeletionLater does after the commit what a deletion leaves to do. It removes an object that nothing holds, or
// waits for the end of its grace period.
func (w *Write) endDeletionLater(record *storage.Record) {
	gone, marked := w.result.Gone, w.after.json != nil
	w.in.AfterCommit(func(committed Committed) {
		change, ok := committed[record.Key]
		if !ok {
			return
		}
		ctx, done, err := w.res.Begin()
		if err != nil { // the API has been closed; the next one finds the object in the store
			return
		}
		defer done()
		switch {
		case gone && marked:
			if _, err := w.removeMarked(record); err != nil {
				w.res.Logger.Error("an object that a transaction has marked cannot be removed",
					slog.String("resource", w.res.GR.String()), slog.String("namespace", record.Key.Namespace),
					slog.String("name", record.Key.Name), slog.Any("error", err))
			}
		case gone || change.Current == nil:
			w.writes.reaper.forget(record.UID)
		default:
			w.writes.reaper.await(ctx, w.res.Stored, change.Current)
			if obj, err := w.res.Decode(ctx, change.Current); err == nil {
				w.writes.unattended.await(w.res.Stored, change.Current, obj)
			}
		}
	})
}
