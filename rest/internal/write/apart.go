package write

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
)

// commitApart stores a new object of a resource that has its own store. No transaction spans two stores, so it reads
// the objects that the new object needs again after the commit, and removes the new object if they no longer permit it.
// A process that empties a namespace first marks it and then looks for objects. So either this process finds the
// object, or commitApart finds the mark.
func (w *Write) commitApart(ctx context.Context, create storage.UpdateFunc) (*storage.Record, error) {
	record, err := w.commit(ctx, onCreate, nil, create)
	if err != nil || record == nil {
		return record, err
	}
	detached := context.WithoutCancel(ctx) // the client may leave, but an object that may not exist must go
	for _, need := range w.needed() {
		if err := w.checkApart(detached, need); err != nil {
			return nil, errors.Join(w.storeError(err), takeBack(detached, w.res, record))
		}
	}
	return record, nil
}

// checkApart checks one need in the store of the API.
func (w *Write) checkApart(ctx context.Context, need need) error {
	record, err := w.res.Host.Store.Get(ctx, need.key, storage.MostRecent)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	return need.check(record, w.Name)
}

// takeBack removes an object that has just been created, unless another one has its name by now, and the beginning of
// its history.
func takeBack(ctx context.Context, res *resource.Resource, created *storage.Record) error {
	keys := append([]storage.Key{created.Key}, firstEntries(res, created)...)
	_, err := res.Store.UpdateAll(ctx, keys, func(current []*storage.Record) ([][]byte, error) {
		next := make([][]byte, len(keys))
		if now := current[0]; now != nil && now.UID != created.UID {
			var err error
			if next[0], err = now.JSON(ctx); err != nil {
				return nil, err
			}
		}
		return next, nil
	})
	return err
}
