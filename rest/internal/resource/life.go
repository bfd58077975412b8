package resource

import (
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Life is what a kind has of its own in how its objects begin, change and end. Nearly every kind has the plain one.
type Life struct {
	// begin fills in what a new object begins with, and owned leaves it out again: nobody owns it.
	begin, owned func(obj doc.Value) doc.Value
	// change returns what a write of a part may make of an object.
	change func(obj, old doc.Value, part Part) doc.Value
	// validate returns what is wrong with an object besides the rules of all kinds.
	validate func(obj, old doc.Value, part Part) status.FieldErrors
	// precondition is the answer to a deletion of another object than the client means.
	precondition func(res *Resource, name, what, wanted, found string) error
	// immortal are the names of objects that are never deleted, and first the name of the one that is there from the beginning.
	immortal []string
	first    string
	// mark completes the mark on an object whose deletion has begun.
	mark func(obj doc.Value) doc.Value
	// holds reports whether something besides finalizers and a grace period holds an object that is being deleted.
	holds func(obj doc.Value) bool
	// propagation is what a client asks for that wants no orphans.
	propagation apimeta.DeletionPropagation
	// goesMarked: an object that goes at once is shown as marked for deletion.
	goesMarked bool
	// wholeBody: the types of a body are checked in what a write leaves out, too.
	wholeBody bool
	// parts are subresources that are parts of the object, besides the status.
	parts []partOf
	// namespaces: the objects are the namespaces of those of other kinds.
	namespaces bool
}

// partOf is a subresource that is a part of the object.
type partOf struct {
	name  string
	part  Part
	verbs []string
}

var plainLife = &Life{
	begin:        func(obj doc.Value) doc.Value { return obj },
	owned:        func(obj doc.Value) doc.Value { return obj },
	change:       func(obj, _ doc.Value, _ Part) doc.Value { return obj },
	validate:     func(_, _ doc.Value, _ Part) status.FieldErrors { return nil },
	precondition: failedPrecondition,
	mark:         func(obj doc.Value) doc.Value { return obj },
	holds:        func(doc.Value) bool { return false },
	propagation:  apimeta.DeletePropagationBackground,
}

// checkMortal refuses to delete an object that is never deleted.
func (res *Resource) checkMortal(name string) error {
	if slices.Contains(res.life.immortal, name) {
		return status.Forbidden(res.GR, name, "this namespace may not be deleted")
	}
	return nil
}

// AreNamespaces reports whether the objects are the namespaces of those of other kinds.
func (res *Resource) AreNamespaces() bool { return res.life.namespaces }
