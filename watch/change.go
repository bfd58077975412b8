package watch

import "github.com/decorum-go/decorum/apimeta"

// Event is what a watcher receives: the type of the change, the state to show, and the revision, from which a later watch can
// continue.
type Event[T any] struct {
	Type     apimeta.EventType
	Object   *T
	Revision Revision
}

// Revision is a point in the history of a store: every committed change gets the next one, across all resources. On the wire it
// is the decimal string metadata.resourceVersion (API conventions, Concurrency Control and Consistency). Zero precedes every
// change.
type Revision uint64

// Scope names what a watch or a list covers: a whole resource (only Resource is set), one of its namespaces (Resource and
// Namespace), or one object. The zero Scope covers everything, and is for watches only. An object's own scope is its full key:
// Resource, Namespace (empty for a cluster-scoped resource) and Name.
type Scope struct {
	// Resource is the plural and the group, such as "widgets.example.com", or "configmaps" in the core group.
	Resource string
	// Namespace is empty for a cluster-scoped resource and for all namespaces.
	Namespace string
	// Name is empty unless the scope is one object.
	Name string
}

// Contains reports whether the object with this full key lies in the scope.
func (s Scope) Contains(key Scope) bool {
	return s == Scope{} || s.Resource == key.Resource &&
		(s.Namespace == "" || s.Namespace == key.Namespace) &&
		(s.Name == "" || s.Name == key.Name && s.Namespace == key.Namespace)
}

// Change is one committed write of one object: Previous is nil when the write created it, Current is nil when it deleted it. Once
// appended to a [Log], a change and the states it points to are immutable.
//
// A change without states and without a name stands for a change that the log no longer holds. Only cursors on all resources get it, after
// [Log.CompactResource]. They learn from it that they have to list that resource again. It never stands for a removal.
type Change[T any] struct {
	// Scope is the full key of the object.
	Scope Scope
	// Revision is that of the change. It is also the resourceVersion of the object that the change wrote or deleted.
	Revision Revision
	// Previous is the state before the change, Current the state after it.
	Previous, Current *T

	groupEnd Revision // the last revision of the group that the change was appended with
	bytes    int64    // of both states
}

// Lost reports whether the change stands for one that the log no longer holds.
func (c *Change[T]) Lost() bool { return c.Previous == nil && c.Current == nil }

// Select returns the event that the change is for a watcher of the objects that match accepts, and the state to show. A nil match
// accepts all objects. An object that begins to match is added. An object that ceases to match is deleted, with the last state
// that matched and the revision of this change. The type is empty if the change does not concern the watcher.
func (c *Change[T]) Select(match func(*T) bool) (apimeta.EventType, *T) {
	was := c.Previous != nil && (match == nil || match(c.Previous))
	is := c.Current != nil && (match == nil || match(c.Current))
	switch {
	case was && is:
		return apimeta.EventModified, c.Current
	case is:
		return apimeta.EventAdded, c.Current
	case was:
		return apimeta.EventDeleted, c.Previous
	default:
		return "", nil
	}
}
