package write

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/steps"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Delete removes an object. If finalizers or a grace period hold it, Delete only marks it for deletion (API
// conventions, Metadata; API concepts, Resource deletion). The step encode ([Write.encode]) finds out whether anything
// holds the object, and removes it otherwise. It does so for every write: the update that takes the last finalizer of a
// marked object removes that object, without coming here. An object whose kind has grace periods is marked in one commit
// and removed in a second one, even if nothing holds it: see removeMarked.
func (w *Write) Delete(ctx context.Context, options apimeta.DeleteOptions) (out Result, err error) {
	if ctx, err = w.nest(ctx); err != nil {
		return Result{}, err
	}
	w.deletion = &options
	ignore := options.IgnoreStoreReadErrorWithClusterBreakingPotential
	unsafe := w.res.UnsafeDeletion && ignore != nil && *ignore
	var record *storage.Record
	err = w.onServed(ctx, func() (err error) {
		if unsafe {
			out, err = w.deleteUnreadable(ctx)
			return err
		}
		record, err = w.commit(ctx, onDelete, nil, func(current *storage.Record) ([]byte, error) {
			return w.run(ctx, onDelete, current)
		})
		return err
	})
	switch {
	case unsafe:
		return out, err
	case err != nil:
		return Result{Missing: w.result.Missing}, err
	}
	switch {
	case record == nil: // a dry run
	case w.in != nil:
		w.endDeletionLater(record)
		if w.after.json != nil {
			w.result.Gone = false
			return w.result, w.showResult(ctx, record)
		}
	case w.result.Gone && w.after.json != nil:
		return w.removeMarked(record)
	case w.result.Gone:
		w.writes.reaper.forget(w.result.UID)
	default:
		obj, err := w.committedObject(ctx, record)
		if err != nil {
			return Result{}, err
		}
		w.writes.reaper.await(ctx, w.res.Stored, record)
		w.writes.unattended.await(w.res.Stored, record, obj)
		return w.result, w.showResult(ctx, record)
	}
	if w.result.Gone && !w.res.Traits.ReturnDeleted {
		return w.result, nil
	}
	if record != nil {
		w.after.stored = withRevision(w.after.stored, record)
	}
	shown, err := w.res.Stored.Convert(w.after.stored, w.res)
	w.result.JSON = codec.AppendObject(nil, shown)
	return w.result, err
}

// removeMarked removes an object whose grace period is 0, after a first commit has marked it. So every watcher sees
// that the deletion has begun before it sees that the object is gone, as upstream. The removal does not depend on the
// request, whose client may leave.
func (w *Write) removeMarked(marked *storage.Record) (Result, error) {
	ctx, done, err := w.res.Begin()
	if err != nil {
		return Result{}, err
	}
	defer done()
	if w.observer != nil {
		ctx = steps.In(ctx, w.observer)
	}
	if pause := w.res.Traits.MarkedFor; pause > 0 && !w.Asked.Trusted {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	out, err := w.writes.endGrace(ctx, w.res, marked.Key, marked.UID)
	switch {
	case err != nil || out.Gone:
		return out, err
	case !w.res.Traits.ReturnDeleted: // another client has removed it
		return w.result, nil
	}
	return w.result, w.showResult(ctx, marked)
}

// Collection says which objects [Writes.DeleteAll] deletes, and how.
type Collection struct {
	Resource *resource.Resource
	// Namespace is empty for all namespaces.
	Namespace string
	Selected  resource.ListParameters
	// Asked and Warnings apply to each deletion.
	Asked    Asked
	Warnings *Warnings
}

// DeleteAll deletes each object of a page of a list, with one write each. It returns the page of the objects that it
// deleted, in their state before. It stops at the first error; objects deleted until then stay deleted.
func (all *Writes) DeleteAll(ctx context.Context, c Collection, options apimeta.DeleteOptions) (resource.Page, error) {
	res, p := c.Resource, c.Selected
	if ignore := options.IgnoreStoreReadErrorWithClusterBreakingPotential; ignore != nil && *ignore {
		return resource.Page{}, resource.InvalidOptions("DeleteOptions", status.FieldErrors{status.InvalidField(
			status.NewPath(FieldIgnoreReadError), true,
			"is not allowed with DELETECOLLECTION, try again after removing the option")})
	}
	if err := p.Query.CheckUnsorted(); err != nil {
		return resource.Page{}, err
	}
	if p.ResourceVersion != "" && p.ResourceVersion != "0" && p.ResourceVersionMatch == "" {
		p.ResourceVersionMatch = apimeta.MatchExact // a list may be read in pages, and all of them must show one revision
	}
	found, err := res.List(ctx, c.Namespace, p, nil)
	if err != nil {
		return resource.Page{}, err
	}
	if err := res.ShowAhead(ctx, found.Records); err != nil {
		return resource.Page{}, err
	}
	for _, r := range found.Records {
		if _, err := res.Show(ctx, r); err != nil {
			return resource.Page{}, err // the selector could not read it, so it may not match
		}
	}
	deleted := found
	deleted.Records = nil
	for _, r := range found.Records {
		one := all.New(res, resource.Target{Namespace: r.Key.Namespace, Name: r.Key.Name, Only: p.Only}, c.Asked)
		one.Warnings = c.Warnings
		done, err := one.Delete(ctx, options)
		switch {
		case done.Missing: // another client has deleted it
		case err != nil:
			return resource.Page{}, err
		default:
			deleted.Records = append(deleted.Records, r)
		}
	}
	return deleted, nil
}

// validateDelete calls the host's ValidateDelete hook of the request's version and, if the dialect applies the stored
// version's rules, the hook of the stored version.
func (w *Write) validateDelete(ctx context.Context) error {
	if w.Asked.Trusted {
		return nil
	}
	err := validateDelete(ctx, w.res, w.before.record)
	if err == nil && w.res != w.res.Stored && w.res.Dialect.StoredRules {
		err = validateDelete(ctx, w.res.Stored, w.before.record)
	}
	return err
}

// checkPreconditions refuses a deletion whose preconditions name another uid or resourceVersion.
func (w *Write) checkPreconditions() error {
	res, p, current := w.res, w.deletion.Preconditions, w.before.record
	if p == nil {
		return nil
	}
	if p.UID != nil && *p.UID != current.UID {
		return res.Strategy.Precondition(res, current.Key.Name, "UID", *p.UID, current.UID)
	}
	if rv := fmt.Sprint(current.Revision); p.ResourceVersion != nil && *p.ResourceVersion != rv {
		return res.Strategy.Precondition(res, current.Key.Name, "ResourceVersion", *p.ResourceVersion, rv)
	}
	return nil
}

// validateDelete runs the ValidateDelete hook on an object in the version of the resource.
func validateDelete(ctx context.Context, res *resource.Resource, current *storage.Record) error {
	if !res.GoType.SetHooks().ValidateDelete {
		return nil
	}
	shown, err := res.Show(ctx, current)
	if err != nil {
		return err
	}
	text, err := shown.JSON(ctx)
	if err != nil {
		return err
	}
	obj, err := res.GoType.Decode(text)
	if err != nil {
		return fmt.Errorf("stored object %v: %w", current.Key, err)
	}
	return res.GoType.RunValidateDelete(ctx, obj)
}

// mark computes the object that stays while something holds it. A deletion changes only metadata. So mark changes the
// stored form for any version of the request, and converts nothing.
func (w *Write) mark(ctx context.Context) error {
	grace, err := graceFor(ctx, w.res, w.before.stored, *w.deletion)
	if err != nil {
		return err
	}
	if text := w.res.Strategy.Except.OrphansWarning; text != "" && propagation(w.res, *w.deletion) == "" {
		w.Warnings.addAlways(text)
	}
	w.after.stored = markForDeletion(w.res, w.before.stored, *w.deletion, grace)
	return nil
}

// markForDeletion returns the object with the finalizer of the propagation policy, with the time when its grace period
// ends, and with the length of that period. A repeated deletion counts the new grace period from the first request. The
// kind's strategy completes the mark.
func markForDeletion(res *resource.Resource, old doc.Value, options apimeta.DeleteOptions, grace int64) doc.Value {
	m := objectmeta.Of(old)
	finalizers := objectmeta.FinalizersOf(old)
	decides := func(f string) bool { return f == objectmeta.FinalizerOrphan || f == objectmeta.FinalizerForeground }
	policy := propagation(res, options)
	if policy == "" && res.Strategy.Except.Orphans && !slices.ContainsFunc(finalizers, decides) {
		policy = apimeta.DeletePropagationOrphan
	}
	if policy != "" {
		finalizers = slices.DeleteFunc(finalizers, decides)
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
	// A grace period is running, and the client shortens it.
	case objectmeta.GraceOf(old) > 0 && ok:
		m = withGrace(m, begun, grace)
	// This is the first deletion of the object.
	case !objectmeta.Deleting(old):
		m = withGrace(m, res.Now(), grace)
		if n, ok := m.Get(objectmeta.Generation).Int(); ok && n > 0 {
			m = m.With(objectmeta.Generation, doc.OfInt(n+1))
		}
	}
	return res.Strategy.Mark(old.With("metadata", m))
}

// withGrace returns metadata with a grace period in seconds, and the time when it ends.
func withGrace(m doc.Value, begun time.Time, grace int64) doc.Value {
	end := objectmeta.Timestamp(begun.Add(objectmeta.Seconds(grace)))
	return m.With(objectmeta.DeletionTimestamp, end).With(objectmeta.GracePeriod, doc.OfInt(grace))
}

// beginsGrace reports whether a deletion begins or shortens a grace period, even to 0. A trusted deletion ends a period
// that has begun: watchers know the mark already.
func (w *Write) beginsGrace() bool {
	old := w.before.stored
	return w.res.Stored.GoType.SetHooks().GracePeriod &&
		(!objectmeta.Deleting(old) || objectmeta.GraceOf(old) > 0 && !w.Asked.Trusted)
}

// propagation returns the policy that the options ask for. If it is "", the finalizers of the object decide.
func propagation(res *resource.Resource, o apimeta.DeleteOptions) apimeta.DeletionPropagation {
	switch {
	case o.PropagationPolicy != nil:
		return *o.PropagationPolicy
	case o.OrphanDependents == nil:
		return ""
	case *o.OrphanDependents:
		return apimeta.DeletePropagationOrphan
	default:
		return res.Strategy.Propagation
	}
}

// held reports whether finalizers, the rest of a grace period, or the kind's strategy keep an object that is being
// deleted.
func held(res *resource.Resource, obj doc.Value) bool {
	return len(objectmeta.FinalizersOf(obj)) > 0 || objectmeta.GraceOf(obj) > 0 || res.Strategy.Holds(obj)
}

// graceAsked returns the grace period that a client asks for. As upstream does, it turns a negative period into one
// second.
func graceAsked(options apimeta.DeleteOptions) *int64 {
	if n := options.GracePeriodSeconds; n == nil || *n >= 0 {
		return n
	}
	shortest := int64(1)
	return &shortest
}

// shortens reports whether the options shorten the grace period of an object that is being deleted. They cannot
// lengthen it.
func shortens(obj doc.Value, options apimeta.DeleteOptions) bool {
	n := graceAsked(options)
	return n != nil && *n < objectmeta.GraceOf(obj)
}

// graceFor returns the grace period of a stored object in seconds, counted from this request, or from the first request
// if the period is already running.
func graceFor(ctx context.Context, res *resource.Resource, old doc.Value,
	options apimeta.DeleteOptions) (int64, error) {
	switch {
	case objectmeta.GraceOf(old) > 0:
		return *graceAsked(options), nil // compare has ended every write that does not shorten it
	case objectmeta.Deleting(old) || !res.Stored.GoType.SetHooks().GracePeriod:
		return 0, nil
	}
	obj, err := res.Stored.FromDocument(old)
	if err != nil {
		return 0, err
	}
	n, err := res.Stored.GoType.RunGracePeriod(ctx, obj, graceAsked(options))
	return max(n, 0), err
}
