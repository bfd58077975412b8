package write

import (
	"context"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// FieldIgnoreReadError is the delete option that removes an object that cannot be decoded.
const FieldIgnoreReadError = "ignoreStoreReadErrorWithClusterBreakingPotential"

// deleteUnreadable removes an object that cannot be decoded, regardless of its finalizers (API concepts, Force
// deletion). It refuses an object that can be decoded. Admission hooks may refuse the deletion, but do not see the
// object.
func (w *Write) deleteUnreadable(ctx context.Context) (Result, error) {
	if err := checkMortal(w.res, w.Name); err != nil {
		return Result{}, err
	}
	_, err := w.commit(ctx, onDelete, nil, func(current *storage.Record) ([]byte, error) {
		w.attempt = attempt{before: found{record: w.visible(current)}}
		w.Warnings.resetTo(Warnings{})
		if w.before.record == nil {
			return nil, w.res.NotFound(w.Name)
		}
		text, err := current.JSON(ctx)
		if err != nil {
			return nil, err
		}
		if readable(w.res, text) {
			return nil, status.Conflict(w.res.GR, w.Name,
				"unsafe deletion is not allowed because the object is decodable from storage")
		}
		if err := w.admitDelete(ctx); err != nil {
			return nil, err
		}
		w.result = Result{UID: current.UID, Gone: true}
		return nil, nil
	})
	if err == nil && !w.Asked.DryRun {
		w.writes.reaper.forget(w.result.UID)
	}
	return w.result, err
}

// readable reports whether the text of a stored object can be decoded as the resource's kind.
func readable(res *resource.Resource, text []byte) bool {
	if _, _, err := codec.DecodeJSON(text); err != nil {
		return false
	}
	_, err := res.Stored.GoType.Decode(text)
	return err == nil
}
