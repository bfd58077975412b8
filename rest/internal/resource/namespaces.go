package resource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

const (
	NamespacesPlural     = "namespaces"
	defaultNamespace     = "default"
	namespaceLabel       = "kubernetes.io/metadata.name"
	phaseActive          = "Active"
	phaseTerminating     = "Terminating"
	causeNamespaceEnding = status.CauseType("NamespaceTerminating")
)

// immortalNamespaces are never deleted.
var immortalNamespaces = []string{defaultNamespace, "kube-system", "kube-public"}

// checkNamespaceOpen refuses to create something in a namespace that is missing or being deleted. With no namespaces
// served every namespace is open.
func (res *Resource) checkNamespaceOpen(ctx context.Context, namespace string, obj doc.Value) error {
	namespaces := res.namespaces()
	if namespaces == nil || !res.Kind.Namespaced {
		return nil
	}
	record, err := res.Store.Get(ctx, namespaces.key("", namespace), 0)
	if errors.Is(err, storage.ErrNotFound) {
		return namespaces.NotFound(namespace)
	}
	if err != nil {
		return err
	}
	return res.openTo(record, cmp.Or(objectmeta.NameOf(obj), objectmeta.Of(obj).Get(objectmeta.GenerateName).Text(), unknownName))
}

// unknownName stands in a refusal for the name of an object that has none.
const unknownName = "Unknown"

// openTo refuses to create something in a namespace, given as it is stored, that is missing or being deleted.
func (res *Resource) openTo(namespace *storage.Record, name string) error {
	if !namespace.Deleting {
		return nil
	}
	refused := status.Forbidden(res.GR, name, fmt.Sprintf("unable to create new content in namespace %s because it is being terminated", namespace.Key.Name))
	refused.Status.Details.Causes = append(refused.Status.Details.Causes, status.Cause{Type: causeNamespaceEnding,
		Message: fmt.Sprintf("namespace %s is being terminated", namespace.Key.Name), Field: "metadata.namespace"})
	return refused
}

// commitNew is commit for an object that is created. Its namespace is compared together with it, so that nothing is created
// in one whose deletion begins at the same time: who empties it afterwards finds everything.
func (res *Resource) commitNew(ctx context.Context, key storage.Key, o *WriteOptions, f storage.UpdateFunc) (*storage.Record, error) {
	namespaces := res.namespaces()
	if namespaces == nil || !res.Kind.Namespaced || o.DryRun {
		return res.commit(ctx, key, o, f)
	}
	keys := []storage.Key{key, namespaces.key("", key.Namespace)}
	records, err := res.Store.UpdateAll(ctx, keys, func(current []*storage.Record) ([][]byte, error) {
		if current[1] == nil {
			return nil, namespaces.NotFound(key.Namespace)
		}
		if err := res.openTo(current[1], key.Name); err != nil {
			return nil, err
		}
		next, err := f(current[0])
		return [][]byte{next, current[1].JSON}, err
	})
	if err != nil {
		return nil, res.StoreError(err, key.Name)
	}
	return records[0], nil
}

// newNamespace fills in what a namespace begins with.
func newNamespace(obj doc.Value) doc.Value {
	var finalizers []doc.Value
	holds := false
	for _, f := range obj.Lookup("spec", objectmeta.Finalizers).Elements() {
		finalizers = append(finalizers, f)
		holds = holds || f.Text() == objectmeta.FinalizerNamespace
	}
	if !holds {
		finalizers = append(finalizers, doc.Of(objectmeta.FinalizerNamespace))
	}
	return labelledNamespace(obj).WithAt(doc.ListOf(finalizers...), "spec", objectmeta.Finalizers).WithAt(doc.Of(phaseActive), "status", "phase")
}

// activeNamespace lets a namespace that says nothing of its phase be active.
func activeNamespace(obj doc.Value) doc.Value {
	if obj.Lookup("status", "phase").Text() == "" {
		return obj.WithAt(doc.Of(phaseActive), "status", "phase")
	}
	return obj
}

// withoutFirstFinalizer takes out what [newNamespace] puts in.
func withoutFirstFinalizer(obj doc.Value) doc.Value {
	if f := obj.Lookup("spec", objectmeta.Finalizers); f.Len() == 1 && f.At(0).Text() == objectmeta.FinalizerNamespace {
		return obj.With("spec", obj.Get("spec").Without(objectmeta.Finalizers))
	}
	return obj
}

// validatePhase checks that a namespace says of itself whether it is being deleted.
func validatePhase(obj doc.Value) status.FieldErrors {
	phase, at := obj.Lookup("status", "phase").Text(), status.Field("status", "Phase")
	switch deleting := objectmeta.Deleting(obj); {
	case !deleting && phase != phaseActive:
		return status.FieldErrors{status.InvalidField(at, phase, "may only be 'Active' if `deletionTimestamp` is empty")}
	case deleting && phase != phaseTerminating:
		return status.FieldErrors{status.InvalidField(at, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")}
	}
	return nil
}

// labelledNamespace gives a namespace the label by which selectors find it, whatever a client has written there.
func labelledNamespace(obj doc.Value) doc.Value {
	return obj.WithAt(doc.Of(objectmeta.NameOf(obj)), "metadata", objectmeta.Labels, namespaceLabel)
}

// updatedNamespace is what a write may make of a namespace: /finalize alone changes spec.finalizers, and a status has a
// phase.
func updatedNamespace(obj, old doc.Value, which Part) doc.Value {
	obj = labelledNamespace(obj)
	switch {
	case which == MainPart:
		return obj.WithAt(old.Lookup("spec", objectmeta.Finalizers), "spec", objectmeta.Finalizers)
	case which == StatusPart:
		return activeNamespace(obj)
	}
	return obj
}

// validateNamespace checks that the phase is what the metadata says, or that what holds a namespace has proper names.
func (res *Resource) validateNamespace(obj, old doc.Value, which Part) (errs status.FieldErrors) {
	if !res.Traits.Namespaces || which == MainPart && !old.IsAbsent() {
		return nil // its finalizers are as they were
	}
	if which == StatusPart {
		return validatePhase(obj)
	}
	for i, f := range obj.Lookup("spec", objectmeta.Finalizers).Elements() {
		path := status.Field("spec", objectmeta.Finalizers)
		if which == finalizePart {
			path = path.Index(i)
		}
		errs = append(errs, objectmeta.UnqualifiedFinalizer(path, f.Text())...)
		errs = append(errs, objectmeta.BareFinalizer(path, f.Text())...)
	}
	return errs
}

// endingNamespace marks a namespace whose deletion has begun.
func endingNamespace(obj doc.Value) doc.Value {
	return obj.WithAt(doc.Of(phaseTerminating), "status", "phase").WithAt(doc.Value{}, "metadata", objectmeta.GracePeriod)
}

// checkMortal refuses to delete the namespaces that every API has.
func (res *Resource) checkMortal(name string) error {
	if res.Traits.Namespaces && slices.Contains(immortalNamespaces, name) {
		return status.Forbidden(res.GR, name, "this namespace may not be deleted")
	}
	return nil
}

// heldNamespace reports whether a namespace is already on its way out: what remains in it, or who has a finalizer in its
// spec, says when it goes, and no second request to delete it changes anything.
func (res *Resource) heldNamespace(obj doc.Value) bool {
	return res.Traits.Namespaces && objectmeta.Deleting(obj) && obj.Lookup("spec", objectmeta.Finalizers).Len() > 0
}

// failedPrecondition is the answer to a deletion of another namespace than there is, in words of its own.
func (res *Resource) failedPrecondition(current *storage.Record, what, wanted, found string) error {
	return status.Conflict(res.GR, current.Key.Name, fmt.Sprintf("Precondition failed: %s in precondition: %s, %s in object meta: %s", what, wanted, what, found))
}

// held reports whether an object that is being deleted is kept by a finalizer, or by what is left of its grace period.
func (res *Resource) held(obj doc.Value) bool {
	return len(objectmeta.FinalizersOf(obj)) > 0 || objectmeta.GraceOf(obj) > 0 || res.Traits.Namespaces && obj.Lookup("spec", objectmeta.Finalizers).Len() > 0
}

// ensureDefaultNamespace makes the namespace that clients use when nobody names one.
func (res *Resource) ensureDefaultNamespace(ctx context.Context) error {
	if !res.Traits.Namespaces {
		return nil
	}
	out, err := res.Create(ctx, "", res.bare().WithAt(doc.Of(defaultNamespace), "metadata", objectmeta.Name), WriteOptions{admitted: true, Agent: selfAgent})
	if err != nil && !out.taken {
		return fmt.Errorf("the namespace %q cannot be made: %w", defaultNamespace, err)
	}
	return nil
}
