package watch

// EventType is the kind of an event as the wire shows it in a watch stream (API concepts, Efficient detection of changes).
type EventType string

// The event types of a watch stream. Changes are Added, Modified or Deleted; Bookmark and Error are made by whoever writes the stream.
const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"
	Bookmark EventType = "BOOKMARK"
	Error    EventType = "ERROR"
)

// Revision is a point in the history of a store: every committed change gets the next one, across all resources. On the wire it is the
// decimal string metadata.resourceVersion (API conventions, Concurrency Control and Consistency). Zero is before every change.
type Revision uint64

// Scope names what a watch or a list wants: all of a resource (only Resource is set), one namespace of it (Resource and Namespace),
// or one object. The zero Scope is everything, and is for watches only. An object's own scope is its full key: Resource, Namespace (empty
// for a cluster-scoped resource) and Name.
type Scope struct {
	// Resource is the plural and the group, such as "widgets.example.com", or "configmaps" in the core group.
	Resource string
	// Namespace is empty for cluster-scoped resources and for all namespaces.
	Namespace string
	// Name is empty for more than one object.
	Name string
}

// Contains reports whether the object with this full key lies in the scope.
func (s Scope) Contains(key Scope) bool {
	return s == Scope{} || s.Resource == key.Resource &&
		(s.Namespace == "" || s.Namespace == key.Namespace) &&
		(s.Name == "" || s.Name == key.Name && s.Namespace == key.Namespace)
}

// Change is one committed write of one object: Previous is nil when the write created it, Current is nil when it deleted it.
// A change that was appended to a [Log] is immutable, and so is what it points to.
type Change[T any] struct {
	// Scope is the full key of the object.
	Scope Scope
	// Revision is the change's own, and the resourceVersion of the object it left behind or deleted.
	Revision Revision
	// Previous is the state before the change, Current the state after it.
	Previous, Current *T

	groupEnd Revision // the last revision of the group that the change was appended with
}

// Select says what the change means to a watcher that sees only the objects for which match holds (nil: all objects), and which state to
// show it: an object that comes to match is Added, one that ceases to match is Deleted, with the state that still matched and this change's
// revision. The type is empty when the watcher need not know.
func (c *Change[T]) Select(match func(*T) bool) (EventType, *T) {
	was := c.Previous != nil && (match == nil || match(c.Previous))
	is := c.Current != nil && (match == nil || match(c.Current))
	switch {
	case was && is:
		return Modified, c.Current
	case is:
		return Added, c.Current
	case was:
		return Deleted, c.Previous
	default:
		return "", nil
	}
}
