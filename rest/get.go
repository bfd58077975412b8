package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// get answers one object with the bytes that are stored.
func (q *request) get() error {
	if _, err := q.timeout(); err != nil {
		return err
	}
	rep, err := q.negotiateRead(oneObject)
	if err != nil {
		return err
	}
	namespace, name, err := q.object()
	if err != nil {
		return err
	}
	if q.parameters().Has("export") && parseBool(q.parameters().Get("export")) {
		return status.BadRequest("the export parameter, deprecated since v1.14, is no longer supported")
	}
	revision, err := readRevision(q.parameters().Get("resourceVersion"))
	if err != nil {
		return err
	}
	record, err := q.res.find(q.r.Context(), namespace, name, revision)
	if err = cmp.Or(err, rep.mismatch); err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, rep, record.JSON)
}

// find reads one record, not older than a revision, as the version shows it.
func (res *resource) find(ctx context.Context, namespace, name string, atLeast watch.Revision) (*storage.Record, error) {
	record, err := res.Store.Get(ctx, res.key(namespace, name), atLeast)
	if err != nil {
		return nil, res.storeError(err, name)
	}
	return res.show(record)
}

// storeError turns an error of the store about an object into the Status that a client gets.
func (res *resource) storeError(err error, name string) error {
	if _, ok := errors.AsType[*status.Error](err); ok { // a hook's, whatever its cause
		return err
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return res.notFound(name)
	case errors.Is(err, storage.ErrContended):
		return status.Conflict(res.gr, name, fmt.Sprintf("the object changed during each of %d attempts to write it: "+
			"it has too many writers, or a hook that runs for this write writes it too", storage.MaxAttempts))
	case errors.Is(err, storage.ErrKey): // only the in-process client can ask for what no URL names
		return status.BadRequest(err.Error())
	}
	return err
}
