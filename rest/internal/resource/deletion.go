package resource

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Delete removes an object, or marks it for deletion while finalizers or its grace period hold it (API conventions,
// Metadata; API concepts, Resource deletion).
func (res *Resource) Delete(ctx context.Context, namespace, name string, options apimeta.DeleteOptions, o WriteOptions) (result, error) {
	ctx, err := res.nest(ctx, namespace, name, &o)
	if err != nil {
		return result{}, err
	}
	if res.UnsafeDeletion && options.IgnoreStoreReadErrorWithClusterBreakingPotential != nil && *options.IgnoreStoreReadErrorWithClusterBreakingPotential {
		if err := res.checkMortal(name); err != nil {
			return result{}, err
		}
		return res.deleteUnreadable(ctx, namespace, name, options, o)
	}
	var out result
	var marked doc.Value
	record, err := res.commit(ctx, res.key(namespace, name), &o, func(current *storage.Record) ([]byte, error) {
		o.reset()
		if out.Missing = current == nil; out.Missing {
			return nil, res.NotFound(name)
		}
		out = result{UID: current.UID}
		if err := res.checkPreconditions(current, options.Preconditions); err != nil {
			return nil, err
		}
		if err := res.checkMortal(name); err != nil {
			return nil, err
		}
		old, _, err := codec.DecodeJSON(current.JSON)
		if err != nil {
			return nil, fmt.Errorf("stored object %v: %w", current.Key, err)
		}
		if objectmeta.GraceOf(old) > 0 && !shortens(old, options) || res.heldNamespace(old) {
			marked = old // its time is running, or it is being emptied, and that is all there is to do
			return current.JSON, nil
		}
		if err := res.mayDelete(ctx, current, old, options, &o); err != nil {
			return nil, err
		}
		grace, err := res.graceFor(ctx, old, options)
		if err != nil {
			return nil, err
		}
		// Deletion is a matter of metadata: what else is stored stays as it is, whatever the version of the request.
		if marked = res.markForDeletion(old, options, grace); !res.held(marked) {
			if out.Gone = true; !res.Traits.Namespaces {
				marked = old // nobody has seen it on its way out
			}
			return nil, nil
		}
		return codec.AppendObject(nil, marked), nil
	})
	if err != nil {
		return result{Missing: out.Missing}, err
	}
	switch {
	case record == nil: // a dry run
	case out.Gone:
		res.reaper.forget(out.UID)
	default:
		res.reaper.await(ctx, res.Stored, record)
	}
	if out.Gone && !res.Traits.ReturnDeleted {
		return out, nil
	}
	if out.Gone || record == nil {
		if record != nil {
			marked = marked.WithAt(doc.Of(strconv.FormatUint(uint64(record.Revision), 10)), "metadata", objectmeta.ResourceVersion)
		}
		shown, err := res.Stored.convert(marked, res)
		out.JSON = codec.AppendObject(nil, shown)
		return out, err
	}
	return out, res.showResult(&out, record, doc.Value{})
}

// mayDelete asks the kind and the host whether an object may be deleted.
func (res *Resource) mayDelete(ctx context.Context, current *storage.Record, old doc.Value, options apimeta.DeleteOptions, o *WriteOptions) error {
	if o.admitted {
		return nil
	}
	if err := res.validateDelete(ctx, current); err != nil {
		return err
	}
	if res != res.Stored && res.Dialect.StoredRules {
		if err := res.Stored.validateDelete(ctx, current); err != nil {
			return err
		}
	}
	return res.admitDelete(ctx, current.Key, old, options, o)
}

func (res *Resource) checkPreconditions(current *storage.Record, p *apimeta.Preconditions) error {
	if p == nil {
		return nil
	}
	conflict := func(text string) error {
		// The kind stands where the plural belongs, as clients know it from upstream.
		return status.Conflict(apimeta.GroupResource{Group: res.GVK.Group, Resource: res.GVK.Kind}, current.Key.Name, text)
	}
	if p.UID != nil && *p.UID != current.UID {
		if res.Traits.Namespaces {
			return res.failedPrecondition(current, "UID", *p.UID, current.UID)
		}
		return conflict(fmt.Sprintf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, current.UID))
	}
	if rv := fmt.Sprint(current.Revision); p.ResourceVersion != nil && *p.ResourceVersion != rv {
		if res.Traits.Namespaces {
			return res.failedPrecondition(current, "ResourceVersion", *p.ResourceVersion, rv)
		}
		return conflict(fmt.Sprintf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, rv))
	}
	return nil
}

func (res *Resource) validateDelete(ctx context.Context, current *storage.Record) error {
	if !res.GoType.Hooks().ValidateDelete {
		return nil
	}
	shown, err := res.Show(current)
	if err != nil {
		return err
	}
	obj, err := res.GoType.Decode(shown.JSON)
	if err != nil {
		return fmt.Errorf("stored object %v: %w", current.Key, err)
	}
	return res.GoType.RunValidateDelete(ctx, obj)
}

// markForDeletion returns the object as it is while something holds it: the propagation policy turned into a finalizer,
// the time when it is due, and how many seconds of grace that is after the request.
func (res *Resource) markForDeletion(old doc.Value, options apimeta.DeleteOptions, grace int64) doc.Value {
	m := objectmeta.Of(old)
	finalizers := objectmeta.FinalizersOf(old)
	if policy := res.propagation(options); policy != "" {
		finalizers = slices.DeleteFunc(finalizers, func(f string) bool { return f == objectmeta.FinalizerOrphan || f == objectmeta.FinalizerForeground })
		switch policy {
		case apimeta.DeletePropagationForeground:
			finalizers = append(finalizers, objectmeta.FinalizerForeground)
		case apimeta.DeletePropagationOrphan:
			finalizers = append(finalizers, objectmeta.FinalizerOrphan)
		}
	}
	var list []doc.Value
	for _, f := range finalizers {
		list = append(list, doc.Of(f))
	}
	switch {
	case len(list) > 0 || m.Has(objectmeta.Finalizers) && res.Dialect.EmptyFinalizersKept:
		m = m.With(objectmeta.Finalizers, doc.ListOf(list...))
	default:
		m = m.Without(objectmeta.Finalizers)
	}
	switch begun, ok := objectmeta.RequestedAt(old); {
	case objectmeta.GraceOf(old) > 0 && ok:
		m = m.With(objectmeta.DeletionTimestamp, objectmeta.Timestamp(begun.Add(objectmeta.Seconds(grace)))).With(objectmeta.GracePeriod, doc.OfInt(grace))
	case !objectmeta.Deleting(old):
		m = m.With(objectmeta.DeletionTimestamp, objectmeta.Timestamp(res.Now().Add(objectmeta.Seconds(grace)))).With(objectmeta.GracePeriod, doc.OfInt(grace))
		if n, ok := m.Get(objectmeta.Generation).Int(); ok && n > 0 {
			m = m.With(objectmeta.Generation, doc.OfInt(n+1))
		}
	}
	if res.Traits.Namespaces {
		return endingNamespace(old.With("metadata", m))
	}
	return old.With("metadata", m)
}

// propagation is the policy that the options ask for; "" keeps what the object says.
func (res *Resource) propagation(o apimeta.DeleteOptions) apimeta.DeletionPropagation {
	switch {
	case o.PropagationPolicy != nil:
		return *o.PropagationPolicy
	case o.OrphanDependents == nil:
		return ""
	case *o.OrphanDependents:
		return apimeta.DeletePropagationOrphan
	case res.Traits.Namespaces:
		return apimeta.DeletePropagationForeground
	default:
		return apimeta.DeletePropagationBackground
	}
}

func ValidateDeleteOptions(o apimeta.DeleteOptions) error {
	var errs status.FieldErrors
	if o.PropagationPolicy != nil && o.OrphanDependents != nil {
		errs = append(errs, status.InvalidField(status.Field("propagationPolicy"), string(*o.PropagationPolicy),
			"orphanDependents and deletionPropagation cannot be both set"))
	}
	if p := o.PropagationPolicy; p != nil && *p != apimeta.DeletePropagationForeground && *p != apimeta.DeletePropagationBackground && *p != apimeta.DeletePropagationOrphan {
		errs = append(errs, status.UnsupportedValue(status.Field("propagationPolicy"), string(*p), []string{
			string(apimeta.DeletePropagationForeground), string(apimeta.DeletePropagationBackground), string(apimeta.DeletePropagationOrphan), "nil"}))
	}
	errs = append(errs, ValidateDryRun(o.DryRun)...)
	errs = append(errs, validateUnsafeDeletion(o)...)
	return InvalidOptions("DeleteOptions", errs)
}

// InvalidOptions is the answer to request options that contradict each other, or nil.
func InvalidOptions(kind string, errs status.FieldErrors) error {
	if len(errs) == 0 {
		return nil
	}
	return status.Invalid(apimeta.GroupKind{Group: "meta.k8s.io", Kind: kind}, "", errs)
}

func ValidateDryRun(values []string) status.FieldErrors {
	for _, v := range values {
		if v != "All" {
			return status.FieldErrors{status.UnsupportedValue(status.Field("dryRun"), values, []string{"All"})}
		}
	}
	return nil
}
