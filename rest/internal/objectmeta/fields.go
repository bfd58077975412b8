package objectmeta

import "github.com/decorum-go/decorum/internal/doc"

// Members of metadata.
const (
	Name              = "name"
	GenerateName      = "generateName"
	Namespace         = "namespace"
	UID               = "uid"
	ResourceVersion   = "resourceVersion"
	Generation        = "generation"
	CreationTimestamp = "creationTimestamp"
	DeletionTimestamp = "deletionTimestamp"
	GracePeriod       = "deletionGracePeriodSeconds"
	Labels            = "labels"
	Annotations       = "annotations"
	Owners            = "ownerReferences"
	Finalizers        = "finalizers"
	ManagedFields     = "managedFields"
	SelfLink          = "selfLink"
)

// Of returns the metadata of an object.
func Of(obj doc.Value) doc.Value { return obj.Get("metadata") }

// NameOf returns the name of an object, or "".
func NameOf(obj doc.Value) string { return Of(obj).Get(Name).Text() }

// NamespaceOf returns the namespace of an object, or "".
func NamespaceOf(obj doc.Value) string { return Of(obj).Get(Namespace).Text() }

// WithoutManagedFields returns the object without the record of its field managers.
func WithoutManagedFields(obj doc.Value) doc.Value {
	if m := Of(obj); m.Has(ManagedFields) {
		return obj.With("metadata", m.Without(ManagedFields))
	}
	return obj
}
