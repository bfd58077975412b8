package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var _ storage.Transactor = (*Engine)(nil)

// transaction is one attempt to run the function of a transaction.
type transaction struct {
	engine *Engine

	mu      sync.Mutex
	ended   bool
	failed  error // why a function that has joined failed
	objects map[storage.Key]*inTransaction
	changed []*inTransaction // in the order of their first change
	counted int              // how many of changed count towards MaxTransaction
	listed  map[*table]write // conditions, see [write.lists]
}

// inTransaction is an object in a transaction.
type inTransaction struct {
	write                  // what the transaction found
	now    *storage.Record // what the transaction has made of it; nil if it is absent
	change bool
}

type transactionKey struct{ engine *Engine }

// transactionIn returns the transaction of a context, or nil. An engine that has never had a transaction does not look
// for one.
func (e *Engine) transactionIn(ctx context.Context) *transaction {
	if !e.transacts.Load() {
		return nil
	}
	x, _ := ctx.Value(transactionKey{e}).(*transaction)
	return x
}

// Transact implements [storage.Transactor].
func (e *Engine) Transact(
	ctx context.Context, fn func(ctx context.Context) error,
) ([]watch.Change[storage.Record], error) {
	if outer := e.transactionIn(ctx); outer != nil {
		return nil, outer.join(ctx, fn)
	}
	e.transacts.Store(true)
	var writes []write // what the latest attempt has read and written
	var held []*turn
	defer func() { endAll(held) }()
	for failed := 0; ; failed++ {
		if again := turnsOf(keysOf(writes)); !sameKeys(again, held) {
			endAll(held)
			held = again
		}
		if err := e.nextAttempt(ctx, held, failed); err != nil {
			return nil, err
		}
		x := &transaction{engine: e, objects: map[storage.Key]*inTransaction{}, listed: map[*table]write{}}
		var err error
		writes, err = x.run(ctx, fn)
		if err != nil {
			again, err := e.refusedAll(ctx, writes, err)
			if !again {
				return nil, err
			}
			e.conflicts.Add(1)
			continue
		}
		revision, done, err := e.commit(ctx, writes)
		if err != nil {
			return nil, err
		}
		if done {
			return changesOf(writes, revision), nil
		}
		e.conflicts.Add(1)
	}
}

// keysOf returns the keys of a transaction.
func keysOf(writes []write) []storage.Key {
	keys := make([]storage.Key, 0, len(writes))
	for i := range writes {
		if !writes[i].lists {
			keys = append(keys, writes[i].key)
		}
	}
	return keys
}

// refusedAll is [committer.refused] for a transaction, whose function may have seen records of different states.
func (e *Engine) refusedAll(ctx context.Context, writes []write, err error) (again bool, _ error) {
	if !e.holds(writes) {
		return ctx.Err() == nil, err
	}
	return e.committer.refused(ctx, writes, err)
}

// holds reports whether the preconditions of a group hold.
func (o *objects) holds(writes []write) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	_, ok, err := o.examine(writes, o.revision)
	return ok || err != nil
}

// changesOf returns the changes of a group that begins at a revision.
func changesOf(writes []write, revision watch.Revision) (changes []watch.Change[storage.Record]) {
	for i := range writes {
		if w := &writes[i]; w.changes {
			changes = append(changes,
				watch.Change[storage.Record]{Key: w.key, Revision: revision, Previous: w.base, Current: w.next})
			revision++
		}
	}
	return changes
}

// run calls the function, and returns what it has written and read.
func (x *transaction) run(ctx context.Context, fn func(context.Context) error) (writes []write, err error) {
	defer x.close()
	err = fn(context.WithValue(ctx, transactionKey{x.engine}, x))
	x.close()
	writes, failed := x.group(ctx)
	return writes, cmp.Or(err, failed, ctx.Err())
}

// join runs a function in a transaction that another function has begun.
func (x *transaction) join(ctx context.Context, fn func(context.Context) error) (err error) {
	if err := x.refuseEnded(); err != nil {
		return err
	}
	failed := errors.New("storage: a function that has joined the transaction panicked")
	defer func() { x.fail(failed) }()
	failed = fn(ctx)
	return failed
}

func (x *transaction) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.failed = cmp.Or(x.failed, err)
}

func (x *transaction) refuseEnded() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.checkOpen()
}

// checkOpen returns an error if the function of the transaction has returned. The caller holds the lock.
func (x *transaction) checkOpen() error {
	if x.ended {
		return inTransactionError(status.BadRequest("the transaction of the context has ended"))
	}
	return nil
}

func inTransactionError(s *status.Error) error {
	return fmt.Errorf("%w: %w", storage.ErrTransaction, s)
}

// close refuses further calls.
func (x *transaction) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = true
}

// group returns the group of a closed transaction: the changes, then what it has only seen.
func (x *transaction) group(ctx context.Context) (writes []write, err error) {
	revision := x.engine.log.Revision()
	writes = make([]write, 0, len(x.objects)+len(x.listed))
	for i, o := range x.changed {
		w := o.write
		var next []byte
		if o.now != nil {
			next = o.now.InMemory()
		}
		err = cmp.Or(err, w.prepare(ctx, next, revision+watch.Revision(i)+1))
		if w.next != nil {
			w.next.Creator = cmp.Or(o.now.Creator, w.next.Creator)
		}
		writes = append(writes, w)
	}
	for _, o := range x.objects {
		if !o.change {
			writes = append(writes, o.write)
		}
	}
	for _, w := range x.listed {
		writes = append(writes, w)
	}
	return writes, cmp.Or(x.failed, err)
}

// look returns objects as the transaction sees them now.
func (x *transaction) look(
	ctx context.Context, keys []storage.Key,
) (all []*inTransaction, now []*storage.Record, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.checkOpen(); err != nil {
		return nil, nil, err
	}
	for _, key := range keys {
		o := x.objects[key]
		if o == nil {
			if o, err = x.find(ctx, key); err != nil {
				return nil, nil, err
			}
			x.objects[key] = o
		}
		all, now = append(all, o), append(now, o.now)
	}
	return all, now, nil
}

// find reads an object that the transaction has not seen yet.
func (x *transaction) find(ctx context.Context, key storage.Key) (*inTransaction, error) {
	t, err := x.engine.tableOf(key)
	if err != nil {
		return nil, err
	}
	one := []write{{table: t, key: key}}
	err = x.engine.read(ctx, one)
	return &inTransaction{write: one[0], now: one[0].base}, err
}

func (x *transaction) get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	if atLeast > storage.Any {
		if err := x.engine.await(ctx, atLeast); err != nil {
			return nil, err
		}
	}
	_, now, err := x.look(ctx, []storage.Key{key})
	if err == nil && now[0] == nil {
		err = storage.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return now[0], nil
}

// update is [Engine.UpdateAll] in the transaction. A deletion returns the last state at its revision.
func (x *transaction) update(
	ctx context.Context, keys []storage.Key, fn storage.UpdateAllFunc,
) ([]*storage.Record, error) {
	for range storage.MaxAttempts {
		all, now, err := x.look(ctx, keys)
		if err != nil {
			return nil, err
		}
		next, err := fn(now)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && len(next) != len(keys) {
			err = fmt.Errorf("%w: the function returned %d texts for %d keys", storage.ErrJSON, len(next), len(keys))
		}
		if err != nil {
			return nil, err
		}
		drafts := make([]storage.Entry, len(keys))
		records := make([]*storage.Record, len(keys))
		for i := range keys {
			if drafts[i], err = x.engine.Draft(ctx, keys[i], now[i], next[i]); err != nil {
				return nil, err
			}
			if records[i] = drafts[i].Current; records[i] == nil {
				records[i] = drafts[i].Previous
			}
		}
		if done, err := x.take(ctx, all, drafts); done || err != nil {
			return records, err
		}
	}
	return nil, fmt.Errorf("%w: several goroutines of a transaction write it", storage.ErrContended)
}

// updateOne is [Engine.Update] in the transaction.
func (x *transaction) updateOne(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	all, err := x.update(ctx, []storage.Key{key}, func(current []*storage.Record) ([][]byte, error) {
		next, err := fn(current[0])
		if err == nil && next == nil && current[0] == nil {
			err = storage.ErrNotFound
		}
		return [][]byte{next}, err
	})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// take makes drafts the state that the transaction sees, unless another goroutine has changed one of the objects
// meanwhile.
func (x *transaction) take(ctx context.Context, all []*inTransaction, drafts []storage.Entry) (done bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.checkOpen(); err != nil {
		return false, err
	}
	counted := x.counted
	for i, o := range all {
		d := &drafts[i]
		switch {
		case o.now != d.Previous:
			return false, nil
		case d.Current == d.Previous:
			continue
		case o.now == nil && o.base != nil:
			return false, inTransactionError(status.Generic(409, fmt.Sprintf(
				"the transaction has deleted the object %q, so it cannot create another one with this name", o.key.Name)))
		case !o.change && !o.form.Auxiliary:
			counted++
		}
	}
	if counted > storage.MaxTransaction {
		return false, inTransactionError(status.RequestEntityTooLarge(
			fmt.Sprintf("a transaction can change at most %d objects", storage.MaxTransaction)))
	}
	if err := x.charge(ctx, all, drafts); err != nil {
		return false, err
	}
	x.counted = counted
	for i, o := range all {
		if d := &drafts[i]; d.Current != d.Previous {
			if o.now = d.Current; !o.change {
				o.change = true
				x.changed = append(x.changed, o)
			}
		}
	}
	return true, nil
}

// charge asks the ledger about everything that the transaction would have changed with the drafts. The commit asks
// again. The caller holds the lock.
func (x *transaction) charge(ctx context.Context, all []*inTransaction, drafts []storage.Entry) error {
	if x.engine.ledger == nil {
		return nil
	}
	var group []storage.Entry
	again := map[*inTransaction]bool{}
	for i, o := range all {
		again[o] = true
		group = append(group, storage.Entry{Key: o.key, Previous: o.base, Current: drafts[i].Current})
	}
	for _, o := range x.changed {
		if !again[o] {
			group = append(group, storage.Entry{Key: o.key, Previous: o.base, Current: o.now})
		}
	}
	_, _, err := x.engine.Charge(ctx, group)
	return err
}
