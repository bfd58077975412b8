package resource

import (
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/upstream"
	"github.com/decorum-go/decorum/status"
)

// failedPrecondition returns the error for a deletion whose preconditions do not match the stored object.
func failedPrecondition(res *Resource, name, what, wanted, found string) error {
	why := "The object might have been modified"
	if what == "UID" {
		why = "The object might have been deleted and then recreated"
	}
	// Upstream puts the kind in the place of the plural here.
	return status.Conflict(apimeta.GroupResource{Group: res.GVK.Group, Resource: res.GVK.Kind}, name,
		fmt.Sprintf("the %s in the precondition (%s) does not match the %s in record (%s). %s", what, wanted, what, found,
			why))
}

// Strategy holds a kind's own rules for how its objects begin, change and end. Nearly every kind uses plainStrategy;
// namespaces use [Namespaces], and CustomResourceDefinitions use definitions.
type Strategy struct {
	// Begin fills in the initial fields of a new object.
	Begin func(obj doc.Value) doc.Value
	// Owned removes the initial fields that no client owns from a new object. body is the object that the client sent,
	// or absent if the object was computed.
	Owned func(obj, body doc.Value) doc.Value
	// change returns obj without the changes that a write of this part may not make.
	Change func(obj, old doc.Value, part Part) doc.Value
	// Prepare returns obj without the changes of further fields. The client owns these fields, although the server keeps
	// the old values. Prepare is nil if the kind has no such field.
	Prepare func(obj, old doc.Value, part Part) doc.Value
	// validate returns the faults of an object by the kind's own rules.
	Validate func(obj, old doc.Value, part Part) status.FieldErrors
	// precondition returns the error for a deletion whose preconditions do not match.
	Precondition func(res *Resource, name, what, wanted, found string) error
	// immortal lists the objects that nobody may delete. first is the one that the API creates when it starts.
	Immortal []string
	First    string
	// mark completes an object whose deletion has begun.
	Mark func(obj doc.Value) doc.Value
	// holds reports whether an object that is being deleted must stay, apart from its finalizers and grace period.
	Holds func(obj doc.Value) bool
	// propagation is the policy for the deprecated option orphanDependents=false.
	Propagation apimeta.DeletionPropagation
	// goesMarked: the answer to a deletion that removes the object at once shows it marked for deletion.
	GoesMarked bool
	// wholeBody: types are checked in the whole body, also where the write ignores it.
	WholeBody bool
	// parts lists the subresources, besides the status, that are parts of the object.
	parts []partOf
	// namespaces: the objects are the namespaces of other kinds.
	namespaces bool
	// except holds the rules that Kubernetes has for the kind alone.
	Except upstream.Exceptions
}

// partOf declares a subresource that is a part of the object, such as a namespace's /finalize.
type partOf struct {
	name  string
	part  Part
	verbs []string
}

var plainStrategy = &Strategy{
	Begin:        func(obj doc.Value) doc.Value { return obj },
	Owned:        func(obj, _ doc.Value) doc.Value { return obj },
	Change:       func(obj, _ doc.Value, _ Part) doc.Value { return obj },
	Validate:     func(_, _ doc.Value, _ Part) status.FieldErrors { return nil },
	Precondition: failedPrecondition,
	Mark:         func(obj doc.Value) doc.Value { return obj },
	Holds:        func(doc.Value) bool { return false },
	Propagation:  apimeta.DeletePropagationBackground,
}

// strategyOf returns the rules of a kind by its name: the rules of CustomResourceDefinitions, or the plain ones. A kind
// that is built into Kubernetes has exceptions from the plain rules.
func strategyOf(k apimeta.GroupVersionKind, d upstream.Dialect) *Strategy {
	switch {
	case !d.GoWritten:
		return plainStrategy
	case k.GroupKind() == definitionKind:
		return definitions
	}
	strategy := *plainStrategy
	strategy.Except, strategy.Prepare = upstream.ExceptionsOf(k.Group, k.Version, k.Kind), keepStatus
	return &strategy
}

// keepStatus restores the status in a write of WholePart.
func keepStatus(obj, old doc.Value, part Part) doc.Value {
	if part == WholePart {
		return obj.With("status", old.Get("status"))
	}
	return obj
}

// AreNamespaces reports whether the objects are the namespaces of other kinds.
func (res *Resource) AreNamespaces() bool { return res.Strategy.namespaces }
