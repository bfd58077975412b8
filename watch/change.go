package watch

import "github.com/decorum-go/decorum/apimeta"

// Event is what a watcher receives: the type of the change, the state to show, and the revision, from which a later
// watch can continue.
type Event[T any] struct {
	Type     apimeta.EventType
	Object   *T
	Revision Revision
}

// Revision is a point in the history of a store: every committed change gets the next one, across all resources. On the
// wire it is the decimal string metadata.resourceVersion (API conventions, Concurrency Control and Consistency). Zero
// precedes every change.
type Revision uint64

// Key names an object, or all objects that a watch or a list covers. The full key of an object has Resource, Namespace
// (empty for a cluster-scoped resource) and Name. A key with only Resource covers the whole resource; a key with
// Resource and Namespace covers one namespace of it. A key without these covers its whole space, and is for watches
// only.
type Key struct {
	// Resource is the plural and the group, such as "widgets.example.com", or "configmaps" in the core group.
	Resource string
	// Namespace is empty for a cluster-scoped resource and for all namespaces.
	Namespace string
	// Name is empty unless the key names one object.
	Name string
	// Space is the space of the store that holds the object. Spaces are for stores that several APIs share. Such a
	// store adds the space of an API to each key that it passes to the store below. The stores of this module have only
	// the space "", and refuse keys of other spaces. Space may change until v1.1.
	Space string
}

// Contains reports whether k covers the object with this full key.
func (k Key) Contains(object Key) bool {
	return k.Space == object.Space && (k == k.whole() || k.Resource == object.Resource &&
		(k.Namespace == "" || k.Namespace == object.Namespace) &&
		(k.Name == "" || k.Name == object.Name && k.Namespace == object.Namespace))
}

// whole returns the key that covers the space of k.
func (k Key) whole() Key { return Key{Space: k.Space} }

// resource returns the key that covers the resource of k.
func (k Key) resource() Key { return Key{Space: k.Space, Resource: k.Resource} }

// Change is one committed write of one object: Previous is nil when the write created it, Current is nil when it
// deleted it. Once appended to a [Log], a change and the states it points to are immutable.
//
// A change without states and without a name represents a change that the log no longer holds. Only cursors on all
// resources get it, after [Log.CompactResource]. They learn from it that they have to list that resource again. It
// never represents a removal.
type Change[T any] struct {
	// Key is the full key of the object.
	Key Key
	// Revision is the revision of the change. It is also the resourceVersion of the object that the change wrote or
	// deleted.
	Revision Revision
	// Previous is the state before the change, Current the state after it.
	Previous, Current *T

	groupEnd Revision // the last revision of the group that the change was appended with
	at       int64    // when it was appended, in Unix nanoseconds
	size     int64    // how many bytes the log holds for it
}

// Lost reports whether the change represents a change that the log no longer holds.
func (c *Change[T]) Lost() bool { return c.Previous == nil && c.Current == nil }

// Select returns the event that the change is for a watcher of the objects that match accepts, and the state to show. A
// nil match accepts all objects. An object that begins to match is added. An object that ceases to match is deleted,
// with the last state that matched and the revision of this change. The type is empty if the change does not concern
// the watcher.
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
