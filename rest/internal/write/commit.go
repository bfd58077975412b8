package write

import (
	"context"
	"errors"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// onServed writes to the resource that the API serves. If another resource takes its place before the write commits,
// the write starts again with that one, as if the request had arrived later.
func (w *Write) onServed(ctx context.Context, write func() error) error {
	for {
		err := w.checkServed()
		if err == nil {
			err = write()
		}
		if !errors.Is(err, resource.ErrRetired) {
			return err
		}
		if w.res, err = w.res.Current(ctx); err != nil {
			return err
		}
		if w.Through == nil {
			continue
		}
		if w.Through = w.res.FindSubresource(w.Through.Name); w.Through == nil {
			return status.ResourceNotFound()
		}
	}
}

// checkServed returns ErrRetired if another resource takes the place of this one. A write asks before it begins, so
// that it does not take its steps by an old declaration, and again whenever the store is about to commit.
func (w *Write) checkServed() error {
	if w.res.Replaced() {
		return resource.ErrRetired
	}
	return nil
}

// commit stores the bytes that f computes from the stored object, which is nil if no object exists. Nil bytes remove
// the object. The store calls f again, with the newer object, if another write commits first. A dry run calls f once
// and stores nothing; then the record is nil. The write commits only if what the object needs is unchanged as well. It
// fails if it would exceed a quota. In a transaction, the store keeps the result until the transaction commits; if that
// is a rehearsal, so does a dry run.
func (w *Write) commit(ctx context.Context, on operations, needs []need,
	f storage.UpdateFunc) (*storage.Record, error) {
	key := w.res.Key(w.Namespace, w.Name)
	removes := false
	compute := func(current *storage.Record) ([]byte, error) {
		w.endCommit(nil)
		if err := w.checkServed(); err != nil {
			return nil, err
		}
		json, err := f(current)
		if err == nil {
			w.beginCommit(ctx, current, json)
		}
		removes = json == nil
		return json, err
	}
	if w.storesNothing() {
		return nil, w.rehearse(ctx, key, compute)
	}
	record, err := w.store(ctx, on, key, needs, compute)
	w.committed(ctx, record, err)
	if err == nil && removes {
		w.res.ForgetDecoded(key)
	}
	return record, w.storeError(err)
}

// rehearse runs a write that is not stored.
func (w *Write) rehearse(ctx context.Context, key storage.Key, compute storage.UpdateFunc) error {
	current, err := w.res.Store.Get(ctx, key, 0)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return w.res.StoreError(err, key.Name)
	}
	json, err := compute(current)
	if err != nil {
		return err
	}
	if store, ok := w.res.Store.(storage.Rehearser); ok {
		err = store.Rehearse(ctx, key, current, json)
	}
	return w.storeError(err)
}

// companions are records that a write commits before its object, in the same group. So their revisions are smaller.
type companions interface {
	keys() []storage.Key
	// fit reports whether the companions fit the object that the store is about to replace.
	fit(object *storage.Record) bool
	// texts returns the new texts of the companions, for the new text of the object, which is nil if the write removes it.
	texts(ctx context.Context, w *Write, object []byte, current []*storage.Record) ([][]byte, error)
}

// errUnfit says that the companions do not fit, because another write has changed the object since they were planned.
var errUnfit = errors.New("the object has changed since its companions were planned")

// store commits an object alone, or in a group with its companions and with what it needs. If the companions no
// longer fit, it plans new ones.
func (w *Write) store(ctx context.Context, on operations, key storage.Key, needs []need,
	compute storage.UpdateFunc) (*storage.Record, error) {
	atLeast := storage.Any
	for range storage.MaxAttempts {
		beside, err := w.planHistory(ctx, on, key, atLeast)
		switch {
		case err != nil:
			return nil, err
		case beside == nil && len(needs) == 0:
			return w.res.Store.Update(ctx, key, compute)
		}
		record, err := w.storeGroup(ctx, key, beside, needs, compute)
		if !errors.Is(err, errUnfit) {
			return record, err
		}
		atLeast = storage.MostRecent
	}
	return nil, storage.ErrContended
}

// storeGroup is an attempt of store. What the object needs is written back unchanged, which commits nothing. But if it
// changes meanwhile, the store repeats the transaction.
func (w *Write) storeGroup(ctx context.Context, key storage.Key, beside companions, needs []need,
	compute storage.UpdateFunc) (*storage.Record, error) {
	var keys []storage.Key
	if beside != nil {
		keys = slices.Clone(beside.keys())
	}
	at := len(keys)
	keys = append(keys, key)
	for _, need := range needs {
		keys = append(keys, need.key)
	}
	records, err := w.res.Store.UpdateAll(ctx, keys, func(current []*storage.Record) (next [][]byte, err error) {
		if beside != nil && !beside.fit(current[at]) {
			return nil, errUnfit
		}
		next = make([][]byte, len(keys))
		for i, need := range needs {
			record := current[at+1+i]
			if err := need.check(record, w.Name); err != nil {
				return nil, err
			}
			if next[at+1+i], err = record.JSON(ctx); err != nil {
				return nil, err
			}
		}
		if next[at], err = compute(current[at]); err != nil || at == 0 {
			return next, err
		}
		texts, err := beside.texts(ctx, w, next[at], current[:at])
		copy(next, texts)
		return next, err
	})
	if err != nil {
		return nil, err
	}
	return records[at], nil
}

// commitNew stores a new object. It commits only if the namespace and the definition of the kind are unchanged as well.
// Otherwise an object could appear after those who delete the objects of a namespace or of a definition have looked,
// because a replica was asleep.
func (w *Write) commitNew(ctx context.Context) (*storage.Record, error) {
	w.Name = objectmeta.NameOf(w.after.shown)
	create := func(current *storage.Record) ([]byte, error) { return w.after.json, w.checkFree(current) }
	if w.res.Apart {
		return w.commitApart(ctx, create)
	}
	return w.commit(ctx, onCreate, w.needed(), create)
}

// checkFree refuses to create an object if its name is taken.
func (w *Write) checkFree(current *storage.Record) error {
	if w.result.Taken = current != nil; !w.result.Taken {
		return nil
	}
	exists := status.AlreadyExists(w.res.Stored.GR, current.Key.Name)
	if current.Deleting && w.res.Admits(w.Only, current) {
		exists.Status.Message = "object is being deleted: " + exists.Status.Message
	}
	return exists
}

// storeError turns the store's error into the Status for the client. A restricted client does not learn how full a
// quota is, because hidden objects count as well.
func (w *Write) storeError(err error) error {
	exceeded, ok := errors.AsType[*storage.Exceeded](err)
	if !ok {
		return w.res.StoreError(err, w.Name)
	}
	if w.Only != nil {
		exceeded = &storage.Exceeded{Quota: exceeded.Quota}
	}
	return status.Forbidden(w.res.GR, w.Name, exceeded.Error())
}
