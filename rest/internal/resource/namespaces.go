package resource

import (
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// Namespaces is the Strategy of namespaces. spec.finalizers hold a namespace as well, and only its subresource
// /finalize changes them. A namespace has a phase and a label with its own name. Nobody may delete certain namespaces,
// and the API creates one when it starts.
var Namespaces = &Strategy{
	Begin:        newNamespace,
	Change:       updatedNamespace,
	Prepare:      keepFinalizers,
	Owned:        withoutFirstFinalizer,
	Validate:     validateNamespace,
	Precondition: failedNamespacePrecondition,
	Immortal:     []string{DefaultNamespace, "kube-system", "kube-public"},
	First:        DefaultNamespace,
	Mark:         endingNamespace,
	Holds:        func(obj doc.Value) bool { return obj.Lookup("spec", objectmeta.Finalizers).Len() > 0 },
	Propagation:  apimeta.DeletePropagationForeground,
	GoesMarked:   true,
	WholeBody:    true,
	parts:        []partOf{{name: "finalize", part: finalizePart, verbs: []string{kind.Update}}},
	namespaces:   true,
}

const (
	// NamespacesPlural is the plural under which package rest serves namespaces.
	NamespacesPlural = "namespaces"
	// DefaultNamespace is the namespace that the API creates when it starts.
	DefaultNamespace = "default"
	namespaceLabel   = "kubernetes.io/metadata.name"
	phaseActive      = "Active"
	phaseTerminating = "Terminating"
)

// newNamespace fills in the initial fields of a namespace.
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
	obj = LabelledNamespace(obj).WithAt(doc.ListOf(finalizers...), "spec", objectmeta.Finalizers)
	return obj.WithAt(doc.Of(phaseActive), "status", "phase")
}

// activeNamespace sets the phase Active if the namespace has no phase.
func activeNamespace(obj doc.Value) doc.Value {
	if obj.Lookup("status", "phase").Text() == "" {
		return obj.WithAt(doc.Of(phaseActive), "status", "phase")
	}
	return obj
}

// withoutFirstFinalizer removes the finalizer that [newNamespace] adds to a namespace without finalizers.
func withoutFirstFinalizer(obj, body doc.Value) doc.Value {
	if body.Lookup("spec", objectmeta.Finalizers).Len() == 0 {
		return obj.With("spec", obj.Get("spec").Without(objectmeta.Finalizers))
	}
	return obj
}

// validatePhase checks that the phase agrees with the deletionTimestamp.
func validatePhase(obj doc.Value) status.FieldErrors {
	phase, at := obj.Lookup("status", "phase").Text(), status.NewPath("status", "Phase")
	switch deleting := objectmeta.Deleting(obj); {
	case !deleting && phase != phaseActive:
		return status.FieldErrors{status.InvalidField(at, phase, "may only be 'Active' if `deletionTimestamp` is empty")}
	case deleting && phase != phaseTerminating:
		return status.FieldErrors{status.InvalidField(at, phase,
			"may only be 'Terminating' if `deletionTimestamp` is not empty")}
	}
	return nil
}

// LabelledNamespace sets the label by which selectors find a namespace by name. It overwrites the client's value.
func LabelledNamespace(obj doc.Value) doc.Value {
	return obj.WithAt(doc.Of(objectmeta.NameOf(obj)), "metadata", objectmeta.Labels, namespaceLabel)
}

// updatedNamespace sets the label of a namespace, and the phase in a write of the status.
func updatedNamespace(obj, _ doc.Value, part Part) doc.Value {
	obj = LabelledNamespace(obj)
	if part == StatusPart {
		return activeNamespace(obj)
	}
	return obj
}

// keepFinalizers restores spec.finalizers, which only /finalize changes.
func keepFinalizers(obj, old doc.Value, part Part) doc.Value {
	if part == MainPart && !old.IsAbsent() {
		return obj.WithAt(old.Lookup("spec", objectmeta.Finalizers), "spec", objectmeta.Finalizers)
	}
	return obj
}

// validateNamespace checks the phase in a write of the status, and the names of spec.finalizers in a create or a
// /finalize.
func validateNamespace(obj, old doc.Value, part Part) (errs status.FieldErrors) {
	if part == MainPart && !old.IsAbsent() {
		return nil // it cannot change the finalizers
	}
	if part == StatusPart {
		return validatePhase(obj)
	}
	for i, f := range obj.Lookup("spec", objectmeta.Finalizers).Elements() {
		path := status.NewPath("spec", objectmeta.Finalizers)
		if part == finalizePart {
			path = path.Index(i)
		}
		errs = append(errs, objectmeta.UnqualifiedFinalizer(path, f.Text())...)
		errs = append(errs, objectmeta.BareFinalizer(path, f.Text())...)
	}
	return errs
}

// failedNamespacePrecondition returns upstream's error for a deletion of a namespace whose preconditions do not match.
func failedNamespacePrecondition(res *Resource, name, what, wanted, found string) error {
	return status.Conflict(res.GR, name,
		fmt.Sprintf("Precondition failed: %[1]s in precondition: %[2]s, %[1]s in object meta: %[3]s", what, wanted, found))
}

// endingNamespace completes a namespace whose deletion has begun: it has the phase Terminating and no grace period.
func endingNamespace(obj doc.Value) doc.Value {
	return obj.WithAt(doc.Of(phaseTerminating), "status", "phase").WithAt(doc.Value{}, "metadata", objectmeta.GracePeriod)
}
