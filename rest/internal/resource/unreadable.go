package resource

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// FieldIgnoreReadError is the delete option by which an object goes that cannot be read any more.
const FieldIgnoreReadError = "ignoreStoreReadErrorWithClusterBreakingPotential"

// deleteUnreadable removes an object that cannot be decoded, whatever its finalizers are (API concepts, Force deletion). One
// that can be decoded is refused. Admission has its say, without seeing the object.
func (res *Resource) deleteUnreadable(ctx context.Context, namespace, name string, options apimeta.DeleteOptions, o WriteOptions) (result, error) {
	var out result
	_, err := res.commit(ctx, res.key(namespace, name), &o, func(current *storage.Record) ([]byte, error) {
		o.reset()
		if current == nil {
			return nil, res.NotFound(name)
		}
		if res.readable(current) {
			return nil, status.Conflict(res.GR, name, "unsafe deletion is not allowed because the object is decodable from storage")
		}
		if err := res.admitDelete(ctx, current.Key, doc.Value{}, options, &o); err != nil {
			return nil, err
		}
		out = result{UID: current.UID, Gone: true}
		return nil, nil
	})
	if err == nil {
		res.reaper.forget(out.UID)
	}
	return out, err
}

// readable reports whether a stored object is one of the resource's kind.
func (res *Resource) readable(record *storage.Record) bool {
	if _, _, err := codec.DecodeJSON(record.JSON); err != nil {
		return false
	}
	_, err := res.Stored.GoType.Decode(record.JSON)
	return err == nil
}

// validateUnsafeDeletion refuses to combine the option with those that need to read the object.
func validateUnsafeDeletion(o apimeta.DeleteOptions) (errs status.FieldErrors) {
	if o.IgnoreStoreReadErrorWithClusterBreakingPotential == nil || !*o.IgnoreStoreReadErrorWithClusterBreakingPotential {
		return nil
	}
	for _, other := range []struct {
		name  string
		given bool
	}{
		{".dryRun", len(o.DryRun) > 0},
		{".propagationPolicy", o.PropagationPolicy != nil},
		{".orphanDependents", o.OrphanDependents != nil},
		{".gracePeriodSeconds", o.GracePeriodSeconds != nil},
		{".preconditions", o.Preconditions != nil},
	} {
		if other.given {
			errs = append(errs, status.InvalidField(status.Field(FieldIgnoreReadError), true, "cannot be set together with "+other.name))
		}
	}
	return errs
}
