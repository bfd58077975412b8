package resource

import (
	"context"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Delete removes an object, or marks it for deletion while finalizers or its grace period hold it (API conventions,
// Metadata; API concepts, Resource deletion).
func (w *Write) Delete(ctx context.Context, options apimeta.DeleteOptions) (Result, error) {
	ctx, err := w.nest(ctx)
	if err != nil {
		return Result{}, err
	}
	w.deletion = &options
	if ignore := options.IgnoreStoreReadErrorWithClusterBreakingPotential; w.res.UnsafeDeletion && ignore != nil && *ignore {
		return w.deleteUnreadable(ctx)
	}
	record, err := w.commit(ctx, func(current *storage.Record) ([]byte, error) { return w.run(ctx, onDelete, current) })
	if err != nil {
		return Result{Missing: w.result.Missing}, err
	}
	switch {
	case record == nil: // a dry run
	case w.result.Gone:
		w.res.reaper.forget(w.result.UID)
	default:
		w.res.reaper.await(ctx, w.res.Stored, record)
		return w.result, w.showResult(record)
	}
	if w.result.Gone && !w.res.Traits.ReturnDeleted {
		return w.result, nil
	}
	if record != nil {
		w.obj = withRevision(w.obj, record)
	}
	shown, err := w.res.Stored.convert(w.obj, w.res)
	w.result.JSON = codec.AppendObject(nil, shown)
	return w.result, err
}

// DeleteAll deletes each object of a page of a list by itself, with a write that begin makes, and returns the page of those that it
// has deleted, as they were.
func (res *Resource) DeleteAll(ctx context.Context, namespace string, p ListParameters, options apimeta.DeleteOptions, begin func(Target) *Write) (Page, error) {
	if ignore := options.IgnoreStoreReadErrorWithClusterBreakingPotential; ignore != nil && *ignore {
		return Page{}, InvalidOptions("DeleteOptions", status.FieldErrors{status.InvalidField(status.Field(FieldIgnoreReadError), true,
			"is not allowed with DELETECOLLECTION, try again after removing the option")})
	}
	if p.ResourceVersion != "" && p.ResourceVersion != "0" && p.ResourceVersionMatch == "" {
		p.ResourceVersionMatch = apimeta.MatchExact // it is read in pages, which are of one version
	}
	found, err := res.List(ctx, namespace, p, nil)
	if err != nil {
		return Page{}, err
	}
	for _, r := range found.Records {
		if _, err := res.Show(r); err != nil {
			return Page{}, err // a selector cannot have taken it
		}
	}
	deleted := found
	deleted.Records = nil
	for _, r := range found.Records {
		done, err := begin(Target{Namespace: r.Key.Namespace, Name: r.Key.Name}).Delete(ctx, options)
		switch {
		case done.Missing: // somebody else was faster
		case err != nil:
			return Page{}, err
		default:
			deleted.Records = append(deleted.Records, r)
		}
	}
	return deleted, nil
}

// validateDelete asks the kind whether an object may be deleted, in the version of the request and in the stored one.
func (w *Write) validateDelete(ctx context.Context) error {
	if w.Asked.Trusted {
		return nil
	}
	err := w.res.validateDelete(ctx, w.current)
	if err == nil && w.res != w.res.Stored && w.res.Dialect.StoredRules {
		err = w.res.Stored.validateDelete(ctx, w.current)
	}
	return err
}

// checkPreconditions refuses to delete another object than the client means.
func (w *Write) checkPreconditions() error {
	res, p, current := w.res, w.deletion.Preconditions, w.current
	if p == nil {
		return nil
	}
	if p.UID != nil && *p.UID != current.UID {
		return res.life.precondition(res, current.Key.Name, "UID", *p.UID, current.UID)
	}
	if rv := fmt.Sprint(current.Revision); p.ResourceVersion != nil && *p.ResourceVersion != rv {
		return res.life.precondition(res, current.Key.Name, "ResourceVersion", *p.ResourceVersion, rv)
	}
	return nil
}

// failedPrecondition is the answer to a deletion of another object than there is.
func failedPrecondition(res *Resource, name, what, wanted, found string) error {
	why := "The object might have been modified"
	if what == "UID" {
		why = "The object might have been deleted and then recreated"
	}
	// The kind stands where the plural belongs, as clients know it from upstream.
	return status.Conflict(apimeta.GroupResource{Group: res.GVK.Group, Resource: res.GVK.Kind}, name,
		fmt.Sprintf("the %s in the precondition (%s) does not match the %s in record (%s). %s", what, wanted, what, found, why))
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

// mark returns the object as it is while something holds it. Deletion is a matter of metadata: what else is stored stays as it is,
// whatever the version of the request.
func (w *Write) mark(ctx context.Context) error {
	grace, err := w.res.graceFor(ctx, w.old.stored, *w.deletion)
	if err == nil {
		w.obj = w.res.markForDeletion(w.old.stored, *w.deletion, grace)
	}
	return err
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
	return res.life.mark(old.With("metadata", m))
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
	default:
		return res.life.propagation
	}
}

// ValidateDeleteOptions refuses options of a deletion that contradict each other with an Invalid error.
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

// ValidateDryRun returns what is wrong with the values of the option dryRun.
func ValidateDryRun(values []string) status.FieldErrors {
	for _, v := range values {
		if v != "All" {
			return status.FieldErrors{status.UnsupportedValue(status.Field("dryRun"), values, []string{"All"})}
		}
	}
	return nil
}

// held reports whether an object that is being deleted is kept by a finalizer, or by what is left of its grace period.
func (res *Resource) held(obj doc.Value) bool {
	return len(objectmeta.FinalizersOf(obj)) > 0 || objectmeta.GraceOf(obj) > 0 || res.life.holds(obj)
}

// asked is the grace period that a client asks for; a negative one is the shortest there is.
func asked(options apimeta.DeleteOptions) *int64 {
	if n := options.GracePeriodSeconds; n == nil || *n >= 0 {
		return n
	}
	shortest := int64(1)
	return &shortest
}

// shortens reports whether a client leaves an object that is being deleted less time than it has. More it cannot give.
func shortens(obj doc.Value, options apimeta.DeleteOptions) bool {
	n := asked(options)
	return n != nil && *n < objectmeta.GraceOf(obj)
}

// graceFor is how many seconds an object, given as it is stored, has to end after this request to delete it.
func (res *Resource) graceFor(ctx context.Context, old doc.Value, options apimeta.DeleteOptions) (int64, error) {
	switch {
	case objectmeta.GraceOf(old) > 0:
		return *asked(options), nil // which shortens it
	case objectmeta.Deleting(old) || !res.Stored.GoType.Hooks().GracePeriod:
		return 0, nil
	}
	obj, err := res.Stored.GoType.FromDocument(old)
	if err != nil {
		return 0, err
	}
	n, err := res.Stored.GoType.RunGracePeriod(ctx, obj, asked(options))
	return max(n, 0), err
}
