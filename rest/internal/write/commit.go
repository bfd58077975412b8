package write

import (
	"context"
	"errors"

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
	var record *storage.Record
	var err error
	switch {
	case w.Asked.DryRun && (w.in == nil || !w.in.rehearses):
		return nil, w.rehearse(ctx, key, compute)
	case w.keepsHistory():
		record, err = w.commitKept(ctx, on, key, needs, compute)
	case len(needs) > 0:
		record, err = w.commitWith(ctx, key, needs, compute)
	default:
		record, err = w.res.Store.Update(ctx, key, compute)
	}
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

// commitWith commits a write together with what its object needs. Those objects are written back unchanged, which
// commits nothing. But if one of them changes meanwhile, the store repeats the transaction.
func (w *Write) commitWith(ctx context.Context, key storage.Key, needs []need,
	compute storage.UpdateFunc) (*storage.Record, error) {
	keys := []storage.Key{key}
	for _, need := range needs {
		keys = append(keys, need.key)
	}
	records, err := w.res.Store.UpdateAll(ctx, keys, func(current []*storage.Record) ([][]byte, error) {
		all := make([][]byte, 1, len(keys))
		for i, need := range needs {
			if err := need.check(current[i+1], w.Name); err != nil {
				return nil, err
			}
			text, err := current[i+1].JSON(ctx)
			if err != nil {
				return nil, err
			}
			all = append(all, text)
		}
		var err error
		all[0], err = compute(current[0])
		return all, err
	})
	if err != nil {
		return nil, err
	}
	return records[0], nil
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
