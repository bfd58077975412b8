package rest

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// fieldIgnoreReadError is the delete option by which an object goes that cannot be read any more.
const fieldIgnoreReadError = "ignoreStoreReadErrorWithClusterBreakingPotential"

// deleteUnreadable removes an object that cannot be decoded, whatever its finalizers are (API concepts, Force deletion). One
// that can be decoded is refused. Admission has its say, without seeing the object.
func (res *resource) deleteUnreadable(ctx context.Context, namespace, name string, options apimeta.DeleteOptions, o writeOptions) (result, error) {
	var out result
	_, err := res.commit(ctx, res.key(namespace, name), &o, func(current *storage.Record) ([]byte, error) {
		o.reset()
		if current == nil {
			return nil, res.notFound(name)
		}
		if res.readable(current) {
			return nil, status.Conflict(res.gr, name, "unsafe deletion is not allowed because the object is decodable from storage")
		}
		if err := res.admitDelete(ctx, current.Key, doc.Value{}, options, &o); err != nil {
			return nil, err
		}
		out = result{uid: current.UID, gone: true}
		return nil, nil
	})
	if err == nil {
		res.reaper.forget(out.uid)
	}
	return out, err
}

// readable reports whether a stored object is one of the resource's kind.
func (res *resource) readable(record *storage.Record) bool {
	if _, _, err := codec.DecodeJSON(record.JSON); err != nil {
		return false
	}
	_, err := res.stored.goType.decode(record.JSON)
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
			errs = append(errs, status.InvalidField(status.Field(fieldIgnoreReadError), true, "cannot be set together with "+other.name))
		}
	}
	return errs
}
