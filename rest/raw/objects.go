package raw

import (
	"context"
	"iter"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/sealed"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Objects reads and writes the objects of every resource of an API. Only package rest implements it, and a minor
// version may add methods.
//
// An Objects is comparable, and may be used by many goroutines at once.
type Objects interface {
	sealed.Interface

	// FieldManager returns an Objects that writes under the name of a field manager, which managedFields record (API
	// concepts, Server-Side Apply). Default: the name of the user in the context.
	FieldManager(manager string) Objects

	// Resources returns the resources whose objects are stored, in the order in which the API took them.
	Resources() []Resource
	// GroupVersions returns the groups and versions that clients find in discovery, in its order.
	GroupVersions() []apimeta.GroupVersion
	// Changed returns a channel that is closed when the API next takes, replaces or gives up a resource. A caller that
	// depends on Resources calls Changed first.
	Changed() <-chan struct{}
	// Now returns the time of the API's clock.
	Now() time.Time
	// Ending returns a channel that is closed when the API shuts down or closes.
	Ending() <-chan struct{}

	// Get returns the most recent record of an object, or a NotFound error. The caller must not change the record.
	Get(ctx context.Context, key storage.Key) (*storage.Record, error)
	// List returns the most recent records of a resource in one namespace, or in all if namespace is empty. The caller
	// must not change the records.
	List(ctx context.Context, resource, namespace string) ([]*storage.Record, error)
	// In returns a record of Get or List in the version that has this kind, with the same key and revision. The caller
	// must not change it.
	In(ctx context.Context, kind apimeta.GroupVersionKind, record *storage.Record) (*storage.Record, error)
	// ResourcesIn returns the names of the resources that have objects in a namespace, or any object if namespace is
	// empty, from the most recent state. It also names resources that the API does not serve but whose objects are in
	// the store, for example the objects of a definition that waits for its conversion webhook. So a caller that
	// releases a namespace asks ResourcesIn first.
	ResourcesIn(ctx context.Context, namespace string) ([]string, error)
	// PurgeHistory erases the former versions that the API keeps of objects in a namespace, including objects of
	// resources that it does not serve. A caller that releases a namespace calls PurgeHistory after it has found no
	// object in it.
	PurgeHistory(ctx context.Context, namespace string) error
	// PurgeHistoryOf erases the former versions that the API keeps of the objects of a resource, even if the resource
	// no longer declares a history. A caller that permanently gives up a kind calls PurgeHistoryOf after it has deleted
	// the objects.
	PurgeHistoryOf(ctx context.Context, resource string) error

	// Revision returns the revision of the latest commit that readers see in the store of the API. Resources with a
	// store of their own do not count.
	Revision() watch.Revision
	// RevisionOf returns the revision of the latest commit that readers see in the store of a resource. For several
	// resources it returns a number that grows with each commit in one of their stores.
	RevisionOf(resources ...string) watch.Revision
	// Watch returns a cursor on the changes of a resource after a revision of its store, for callers that poll; Follow
	// waits. The cursor ends with the API. A caller that needs it no longer closes it.
	Watch(ctx context.Context, resource string, after watch.Revision) (watch.Cursor[storage.Record], error)
	// Follow yields the objects of the resources and then their changes. A caller that has applied everything that
	// Follow yielded knows the state of the resources at the revision Through. Each argument is the Name of a
	// [Resource]. A call with a single resource does not read the changes of other resources. Without arguments, Follow
	// yields the objects of all resources that the API serves. It then also follows what the API serves: it reads a
	// resource that the API takes later, and meanwhile goes on with the others; before it gives a resource up, it
	// yields what has happened to its objects. Read and GivenUp are set only without arguments.
	//
	// While Through is 0, each existing object appears as a change that adds it, mixed with later changes of objects
	// that Follow has already yielded. The changes of one object are in order; changes of different objects may not be.
	// Afterwards, the changes of all resources in one store appear in the order of their revisions, each as soon as it
	// is committed. Changes in different stores (see [Resource]) have no order.
	//
	// Follow ends when the context or the API ends, or when the caller breaks out of the loop. If the store drops
	// changes before a slow caller has received them, Follow ends with an error for which status.IsExpired holds; the
	// caller then starts again. The error is yielded last.
	Follow(ctx context.Context, resources ...string) iter.Seq2[Changes, error]

	// Patch applies a JSON merge patch to an object, or to one of its subresources "status" and "finalize"; "" means
	// the object itself. A metadata.uid or metadata.resourceVersion in the patch is a precondition: if the object has
	// another one, the error is Conflict.
	Patch(ctx context.Context, key storage.Key, subresource string, patch []byte) error
	// Apply makes an object match a manifest, in JSON or YAML (API concepts, Server-Side Apply), and creates the object
	// if it does not exist. The manifest is in version, which may be any version that the API serves. The manager of
	// [Objects.FieldManager] then owns the fields of the manifest. Fields that the kind does not have, and fields that occur
	// twice, are errors.
	Apply(ctx context.Context, key storage.Key, version string, manifest []byte, options apimeta.ApplyOptions) error
	// Delete deletes an object, and reports whether it is gone. It is not gone while finalizers or its grace period
	// hold it.
	Delete(ctx context.Context, key storage.Key, options apimeta.DeleteOptions) (gone bool, err error)
	// EndGracePeriod removes an object whose grace period has passed, as the API itself does for a resource with
	// RemoveWhenDue. Hooks and admission are not asked again. late is how long after its end the grace period counts as
	// passed. If it has not passed, EndGracePeriod removes nothing and returns how long to wait. It does nothing if the
	// object is gone, or if no grace period holds it.
	EndGracePeriod(ctx context.Context, key storage.Key, late time.Duration) (left time.Duration, err error)
}

// Resource describes a resource whose objects are stored.
type Resource struct {
	// Name is the resource in a [storage.Key]: the plural and the group of the stored version, such as
	// "widgets.example.com".
	Name string
	// Kinds are the kind of the objects in each version, the stored version first.
	Kinds []apimeta.GroupVersionKind
	// Namespaced says that the objects live in namespaces.
	Namespaced bool
	// Namespaces says that the objects are the namespaces of other resources.
	Namespaces bool
	// TimeToLive is how long an object lives after its last write (see [storage.Record]), or 0 if objects do not expire.
	TimeToLive time.Duration
	// Fixed says that the API cannot delete the objects, because they live elsewhere.
	Fixed bool
	// RemoveWhenDue says that objects are removed when their grace period has passed.
	RemoveWhenDue bool
	// Store numbers the store of the objects: 0 is the store of the API, and the others belong to single resources.
	// Revisions of different stores cannot be compared.
	Store int
}

// Changes are the changes that [Objects.Follow] yields at once.
type Changes struct {
	// List holds changes of objects of the resources. Other readers share them, so the caller must not change them.
	List []*watch.Change[storage.Record]
	// Store numbers the store to which List, Removed and Through belong (see [Resource]).
	Store int
	// Through is the revision up to which Follow has yielded every change of the resources in this store, including
	// List. It is 0 until Follow has yielded all objects that existed at the beginning, in every store.
	Through watch.Revision
	// Read describes the resources whose existing objects Follow has now all yielded: at first every resource, and
	// later the resources that the API has taken or declared again since. Through counts for the resources that were
	// read.
	Read []Resource
	// GivenUp names resources that Follow no longer yields, because the API has given them up, or that it is about to
	// yield from the beginning. The caller forgets their objects. GivenUp comes before List.
	GivenUp []string
	// Removed holds removals of objects of resources that were not read at that time, for callers that remember what is
	// gone.
	Removed []*watch.Change[storage.Record]
}
