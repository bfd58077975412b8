package engine

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// write is one object's way through an update: read, prepare, commit.
type write struct {
	table   *table
	form    *storage.Resource // the table's form at the time of read
	key     storage.Key
	base    *storage.Record // the record that the update function saw; nil if none
	was     []byte          // the text of base
	after   *pending        // the group that writes base; nil if base is durable
	next    *storage.Record // the record to commit; nil to delete
	changes bool            // false for a no-op
	grown   int64           // how many bytes the write adds to the live records
	// lists means that the write represents a list in a transaction. It has no key, and requires that the table is
	// still in the state listed, which is 0 if the table has never changed.
	lists  bool
	listed watch.Revision
	// proposals counts the proposals of a replica to the table in the form of the write.
	proposals *sync.WaitGroup
}

// lone is what an update of one object needs.
type lone struct {
	writes [1]write
	turns  [1]*turn // the turn below
	turn   turn
}

// single lends memory for updates of one object. The memory cannot be on the stack, because the engine calls its
// committer through an interface.
var single = sync.Pool{New: func() any { return new(lone) }}

func putBack(one *lone) {
	*one = lone{}
	single.Put(one)
}

// Update implements [storage.Store].
func (e *Engine) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	if x := e.transactionIn(ctx); x != nil {
		return x.updateOne(ctx, key, fn)
	}
	t, err := e.tableOf(key)
	if err != nil {
		return nil, err
	}
	one := single.Get().(*lone)
	defer putBack(one)
	all, held, w := one.writes[:], one.turns[:], &one.writes[0]
	w.table, w.key = t, key
	held[0], one.turn.key = &one.turn, key
	defer one.turn.end()
	for failed := 0; ; failed++ {
		if err := e.nextAttempt(ctx, held, failed); err != nil {
			return nil, err
		}
		if err := e.read(ctx, all); err != nil {
			return nil, err
		}
		next, err := fn(w.base)
		if err == nil && next == nil && w.base == nil {
			err = storage.ErrNotFound
		}
		if err == nil {
			err = ctx.Err() // the function may have run longer than its caller waits
		}
		if err == nil {
			err = w.prepare(ctx, next, e.log.Revision()+1)
		}
		if err != nil && e.outran(all, err) {
			e.conflicts.Add(1)
			continue
		}
		if err != nil {
			if again, err := e.committer.refused(ctx, all, err); !again {
				return nil, err
			}
			continue
		}
		revision, done, err := e.commit(ctx, all)
		if err != nil {
			return nil, err
		}
		if done {
			return w.result(revision), nil
		}
		e.conflicts.Add(1)
	}
}

// UpdateAll implements [storage.Store].
func (e *Engine) UpdateAll(
	ctx context.Context, keys []storage.Key, fn storage.UpdateAllFunc,
) ([]*storage.Record, error) {
	if err := checkDistinct(keys); err != nil {
		return nil, err
	}
	if x := e.transactionIn(ctx); x != nil {
		return x.update(ctx, keys, fn)
	}
	all := make([]write, len(keys))
	for i, key := range keys {
		t, err := e.tableOf(key)
		if err != nil {
			return nil, err
		}
		all[i] = write{table: t, key: key}
	}
	held := turnsOf(keys)
	defer endAll(held)
	for failed := 0; ; failed++ {
		if err := e.nextAttempt(ctx, held, failed); err != nil {
			return nil, err
		}
		if err := e.read(ctx, all); err != nil {
			return nil, err
		}
		current := make([]*storage.Record, len(all))
		for i := range all {
			current[i] = all[i].base
		}
		next, err := fn(current)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = prepareAll(ctx, all, next, e.log.Revision())
		}
		if err != nil && e.outran(all, err) {
			e.conflicts.Add(1)
			continue
		}
		if err != nil {
			if again, err := e.committer.refused(ctx, all, err); !again {
				return nil, err
			}
			continue
		}
		revision, done, err := e.commit(ctx, all)
		if err != nil {
			return nil, err
		}
		if done {
			return results(all, revision), nil
		}
		e.conflicts.Add(1)
	}
}

// checkDistinct returns an error if a key occurs twice.
func checkDistinct(keys []storage.Key) error {
	seen := make(map[storage.Key]bool, len(keys))
	for _, key := range keys {
		if seen[key] {
			return fmt.Errorf("%w: duplicate key %v in the group", storage.ErrKey, key)
		}
		seen[key] = true
	}
	return nil
}

// nextAttempt pauses before an update tries again, and makes it wait for its turns if it competes with others. An update
// that has all of them keeps them, and at first does not pause: otherwise those that have just begun would always be
// faster.
func (e *Engine) nextAttempt(ctx context.Context, held []*turn, failed int) error {
	if failed < storage.MaxAttempts/2 && tryAgain(held) {
		return ctx.Err()
	}
	endAll(held)
	if err := pause(ctx, failed); err != nil {
		return err
	}
	for _, t := range held {
		e.committer.takeTurn(ctx, t, failed)
	}
	return nil
}

// commit passes prepared writes to the committer.
func (e *Engine) commit(ctx context.Context, writes []write) (first watch.Revision, done bool, err error) {
	now := e.opts.Now()
	return e.committer.commit(ctx, writes, e.claim(ctx, writes), now)
}

// outran reports whether an update failed because the store no longer has the text of a record that has changed.
func (e *Engine) outran(writes []write, err error) bool {
	return status.IsExpired(err) && !e.holds(writes)
}

func prepareAll(ctx context.Context, all []write, next [][]byte, revision watch.Revision) error {
	if len(next) != len(all) {
		return fmt.Errorf("%w: the function returned %d texts for %d keys", storage.ErrJSON, len(next), len(all))
	}
	for i := range all {
		if err := all[i].prepare(ctx, next[i], revision+watch.Revision(i)+1); err != nil {
			return err
		}
	}
	return nil
}

// read reads the current records of all keys from one state. It refuses a resource that was unregistered meanwhile,
// because its table may have lost its extractor.
func (o *objects) read(ctx context.Context, writes []write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	if o.closed {
		return storage.ErrClosed
	}
	for i := range writes {
		w := &writes[i]
		if w.table.dormant {
			return notRegistered(w.table.name)
		}
		w.form = w.table.form
		w.base, w.after = o.next(w.table, w.key)
	}
	return nil
}

// prepare does everything that needs no lock. It assumes the revision that the commit will probably have.
func (w *write) prepare(ctx context.Context, next []byte, revision watch.Revision) (err error) {
	w.next, w.was, w.changes = nil, nil, false
	if w.base != nil {
		if w.was, err = w.base.JSON(ctx); err != nil {
			return err
		}
	}
	if next == nil {
		w.changes, w.grown = w.base != nil, -sizeOf(w.base)
		return nil
	}
	if w.base != nil && bytes.Equal(next, w.was) {
		return nil
	}
	parts, err := w.form.Extract(next)
	if err != nil {
		return aboutKey(w.key, err)
	}
	if err := checkParts(&parts, next); err != nil {
		return aboutKey(w.key, err)
	}
	if w.base != nil && sameText(w.base, w.was, next, parts.Version) {
		return nil
	}
	r := (&storage.Record{}).With(next, parts)
	if w.base != nil {
		r.Key, r.Creator = w.base.Key, w.base.Creator
		shareParts(&r.Extracted, &w.base.Extracted)
	} else { // the key's strings may point into a request, which must not stay alive
		r.Key = w.table.ownKey(w.key)
	}
	stamp(r, revision)
	// An encoder's spare capacity would waste memory.
	if text := r.InMemory(); cap(text)-len(text) > len(text)/8 {
		replaceText(r, bytes.Clone(text))
	}
	w.next, w.changes, w.grown = r, true, sizeOf(r)-sizeOf(w.base)
	return nil
}

// result returns what Update returns after the commit. A deletion has the given revision.
func (w *write) result(revision watch.Revision) *storage.Record {
	switch {
	case w.next != nil:
		return w.next
	case w.changes:
		return recordAt(w.base, w.was, revision)
	default:
		return w.base
	}
}

func results(writes []write, revision watch.Revision) []*storage.Record {
	records := make([]*storage.Record, len(writes))
	for i := range writes {
		records[i] = writes[i].result(revision)
		if writes[i].changes {
			revision++
		}
	}
	return records
}
