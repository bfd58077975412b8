package resource

import (
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/upstream"
	"github.com/decorum-go/decorum/status"
)

// Strategy holds a kind's own rules for how its objects begin, change and end. Nearly every kind uses plainStrategy; namespaces use [Namespaces].
type Strategy struct {
	// begin fills in the initial fields of a new object. owned removes them again from what managedFields record, because no client owns
	// them.
	begin, owned func(obj doc.Value) doc.Value
	// change returns obj without the changes that a write of this part may not make.
	change func(obj, old doc.Value, part Part) doc.Value
	// validate returns the faults of an object by the kind's own rules.
	validate func(obj, old doc.Value, part Part) status.FieldErrors
	// precondition returns the error for a deletion whose preconditions do not match.
	precondition func(res *Resource, name, what, wanted, found string) error
	// immortal lists the objects that nobody may delete. first is the one that the API creates when it starts.
	immortal []string
	first    string
	// mark completes an object whose deletion has begun.
	mark func(obj doc.Value) doc.Value
	// holds reports whether an object that is being deleted must stay, apart from its finalizers and grace period.
	holds func(obj doc.Value) bool
	// propagation is the policy for the deprecated option orphanDependents=false.
	propagation apimeta.DeletionPropagation
	// goesMarked: the answer to a deletion that removes the object at once shows it marked for deletion.
	goesMarked bool
	// wholeBody: types are checked in the whole body, also where the write ignores it.
	wholeBody bool
	// parts lists the subresources, besides the status, that are parts of the object.
	parts []partOf
	// namespaces: the objects are the namespaces of other kinds.
	namespaces bool
	// except holds the rules that Kubernetes has for the kind alone.
	except upstream.Exceptions
}

// partOf declares a subresource that is a part of the object, such as a namespace's /finalize.
type partOf struct {
	name  string
	part  Part
	verbs []string
}

var plainStrategy = &Strategy{
	begin:        func(obj doc.Value) doc.Value { return obj },
	owned:        func(obj doc.Value) doc.Value { return obj },
	change:       func(obj, _ doc.Value, _ Part) doc.Value { return obj },
	validate:     func(_, _ doc.Value, _ Part) status.FieldErrors { return nil },
	precondition: failedPrecondition,
	mark:         func(obj doc.Value) doc.Value { return obj },
	holds:        func(doc.Value) bool { return false },
	propagation:  apimeta.DeletePropagationBackground,
}

// strategyOf returns the plain rules, with the exceptions of a kind that is built into Kubernetes.
func strategyOf(k apimeta.GroupVersionKind, d upstream.Dialect) *Strategy {
	if !d.GoWritten {
		return plainStrategy
	}
	strategy := *plainStrategy
	strategy.except = upstream.ExceptionsOf(k.Group, k.Version, k.Kind)
	return &strategy
}

// checkMortal refuses to delete an object that nobody may delete.
func (res *Resource) checkMortal(name string) error {
	if slices.Contains(res.strategy.immortal, name) {
		return status.Forbidden(res.GR, name, "this namespace may not be deleted")
	}
	return nil
}

// AreNamespaces reports whether the objects are the namespaces of other kinds.
func (res *Resource) AreNamespaces() bool { return res.strategy.namespaces }
