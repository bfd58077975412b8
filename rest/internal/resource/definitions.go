package resource

import (
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// definitionKind is the kind whose objects define other kinds.
var definitionKind = apimeta.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

// definitions is the Strategy of CustomResourceDefinitions. The status records every version in which objects may be
// stored. A deleted definition stays until the objects of its kind are gone.
var definitions = &Strategy{
	Begin:  withStorageVersion,
	Change: updatedDefinition,
	Owned:  func(obj, _ doc.Value) doc.Value { return obj.Without("status") },
	Validate: func(_, _ doc.Value, _ Part) status.FieldErrors {
		return nil // the hooks of the kind validate
	},
	Precondition: failedPrecondition,
	Mark:         endingDefinition,
	Holds:        func(doc.Value) bool { return false },
	Propagation:  apimeta.DeletePropagationBackground,
}

// finalizerDefinition holds a definition until the objects of its kind are gone.
const finalizerDefinition = "customresourcecleanup.apiextensions.k8s.io"

// terminating is the type of the condition of a deleted definition.
const terminating = "Terminating"

// updatedDefinition records a changed storage version. A write of the status may remove versions, but not all.
func updatedDefinition(obj, _ doc.Value, part Part) doc.Value {
	if part == MainPart || obj.Lookup("status", "storedVersions").Len() == 0 {
		return withStorageVersion(obj)
	}
	return obj
}

// withStorageVersion adds the storage version to status.storedVersions.
func withStorageVersion(obj doc.Value) doc.Value {
	var stored []doc.Value
	for _, v := range obj.Lookup("status", "storedVersions").Elements() {
		stored = append(stored, v)
	}
	for _, v := range obj.Lookup("spec", "versions").Elements() {
		if v.Kind() != doc.Map || !v.Get("storage").Bool() {
			continue
		}
		name := v.Get("name")
		if slices.ContainsFunc(stored, func(s doc.Value) bool { return doc.Equal(s, name) }) {
			return obj
		}
		return obj.WithAt(doc.ListOf(append(stored, name)...), "status", "storedVersions")
	}
	return obj
}

// endingDefinition adds the finalizer and the condition of a deleted definition. As in kube-apiserver, the deletion
// does not count as a change of the definition and has no grace period.
func endingDefinition(obj doc.Value) doc.Value {
	var conditions []doc.Value
	for _, c := range obj.Lookup("status", "conditions").Elements() {
		if c.Kind() == doc.Map && c.Get("type").Text() == terminating {
			return obj // the deletion is repeated
		}
		conditions = append(conditions, c)
	}
	m := objectmeta.Of(obj).Without(objectmeta.GracePeriod)
	if n, ok := m.Get(objectmeta.Generation).Int(); ok {
		m = m.With(objectmeta.Generation, doc.OfInt(n-1))
	}
	finalizers := []doc.Value{}
	for _, f := range objectmeta.FinalizersOf(obj) {
		if f != finalizerDefinition {
			finalizers = append(finalizers, doc.Of(f))
		}
	}
	m = m.With(objectmeta.Finalizers, doc.ListOf(append(finalizers, doc.Of(finalizerDefinition))...))
	condition := doc.MapOf(
		doc.Member{Key: "type", Value: doc.Of(terminating)}, doc.Member{Key: "status", Value: doc.Of("True")},
		doc.Member{Key: "lastTransitionTime", Value: m.Get(objectmeta.DeletionTimestamp)},
		doc.Member{Key: "reason", Value: doc.Of("InstanceDeletionPending")},
		doc.Member{Key: "message", Value: doc.Of("CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon")})
	return obj.With("metadata", m).WithAt(doc.ListOf(append(conditions, condition)...), "status", "conditions")
}
