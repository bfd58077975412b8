package write

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// visible returns the current record, or nil if the client does not see it.
func (w *Write) visible(current *storage.Record) *storage.Record {
	if w.Only != nil && current != nil && !w.res.Admits(w.Only, current) {
		return nil
	}
	return current
}

// find refuses to change or delete an object that does not exist, and to delete one that fails the preconditions.
func (w *Write) find(context.Context) error {
	switch {
	case w.before.record == nil && w.deletion == nil && w.Body.UID != "" && w.res.Traits.CreateOnUpdate:
		return uidConflict(w.res, w.Namespace, w.Name, w.Body.UID, "")
	case w.before.record == nil:
		w.result.Missing = true
		return w.res.NotFound(w.Name)
	case w.deletion == nil:
		return nil
	}
	if err := w.checkPreconditions(); err != nil {
		return err
	}
	return checkMortal(w.res, w.Name)
}

// read decodes the stored object. A deletion needs only the stored form, regardless of the version of the request.
func (w *Write) read(ctx context.Context) (err error) {
	w.result.UID = w.before.record.UID
	if w.deletion == nil {
		w.before.forms, w.before.json, err = formsOf(ctx, w.res, w.before.record)
		return err
	}
	w.before.stored, err = w.res.Decode(ctx, w.before.record)
	return err
}

// checkMortal refuses to delete an object that no client may delete.
func checkMortal(res *resource.Resource, name string) error {
	if slices.Contains(res.Strategy.Immortal, name) {
		return status.Forbidden(res.GR, name, "this namespace may not be deleted")
	}
	return nil
}
