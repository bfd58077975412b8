package resource

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Get reads one record, not older than a revision, as the version shows it.
func (res *Resource) Get(ctx context.Context, namespace, name string, atLeast watch.Revision) (*storage.Record, error) {
	record, err := res.Store.Get(ctx, res.key(namespace, name), atLeast)
	if err != nil {
		return nil, res.StoreError(err, name)
	}
	return res.Show(record)
}

// StoreError turns an error of the store about an object into the Status that a client gets.
func (res *Resource) StoreError(err error, name string) error {
	if _, ok := errors.AsType[*status.Error](err); ok { // a hook's, whatever its cause
		return err
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return res.NotFound(name)
	case errors.Is(err, storage.ErrContended):
		return status.Conflict(res.GR, name, fmt.Sprintf("the object changed during each of %d attempts to write it: "+
			"it has too many writers, or a hook that runs for this write writes it too", storage.MaxAttempts))
	case errors.Is(err, storage.ErrKey): // only the in-process client can ask for what no URL names
		return status.BadRequest(err.Error())
	}
	return err
}
