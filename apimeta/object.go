package apimeta

import (
	"maps"
	"slices"
)

// TypeMeta says what kind an object is and in which version it is written. It
// is embedded first in every kind (API conventions, Types (Kinds)).
type TypeMeta struct {
	// Kind is the CamelCase name of the kind, such as "Widget".
	Kind string `json:"kind,omitempty"`
	// APIVersion is "group/version", or the bare version for the core group.
	APIVersion string `json:"apiVersion,omitempty"`
}

// GroupVersionKind returns the parsed form of the two members. An APIVersion
// that is not well formed gives a result without group and version.
func (m TypeMeta) GroupVersionKind() GroupVersionKind {
	gv, err := ParseGroupVersion(m.APIVersion)
	if err != nil {
		return GroupVersionKind{Kind: m.Kind}
	}
	return gv.WithKind(m.Kind)
}

// ObjectMeta is the metadata that every persistent object carries (API
// conventions, Metadata). The server owns UID, ResourceVersion, Generation,
// CreationTimestamp, the two deletion members and ManagedFields: what a client
// sends there is ignored or refused. Values are plain data and safe for
// concurrent reads; copy with [ObjectMeta.Clone] before changing one that is
// shared.
type ObjectMeta struct {
	// Name identifies the object within its namespace and resource. It cannot
	// change (API conventions, Names, "Idempotency").
	Name string `json:"name,omitempty"`
	// GenerateName is the prefix from which the server makes a unique name when
	// Name is empty on create.
	GenerateName string `json:"generateName,omitempty"`
	// Namespace scopes the name. It is empty for cluster-scoped objects and
	// cannot change.
	Namespace string `json:"namespace,omitempty"`
	// SelfLink is a legacy member that the server always clears.
	SelfLink string `json:"selfLink,omitempty"`
	// UID distinguishes this object from earlier and later objects of the same
	// name.
	UID string `json:"uid,omitempty"`
	// ResourceVersion is the opaque version that optimistic concurrency compares
	// (API conventions, Concurrency Control and Consistency).
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// Generation counts the changes of the desired state, starting at 1.
	Generation int64 `json:"generation,omitempty"`
	// CreationTimestamp is when the server stored the object, in whole seconds.
	CreationTimestamp Time `json:"creationTimestamp,omitempty,omitzero"`
	// DeletionTimestamp is when a requested deletion is due. Once it is set, the
	// object disappears as soon as its grace period is over and its finalizers are
	// removed.
	DeletionTimestamp *Time `json:"deletionTimestamp,omitempty"`
	// DeletionGracePeriodSeconds is the grace period of the requested deletion, in
	// seconds. It can only shrink.
	DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds,omitempty"`
	// Labels are the keys and values that label selectors match.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations are free data for tools, together at most
	// [TotalAnnotationsLimit] bytes.
	Annotations map[string]string `json:"annotations,omitempty"`
	// OwnerReferences names the objects that this one depends on. At most one of
	// them may be the controller.
	OwnerReferences []OwnerReference `json:"ownerReferences,omitempty" patchStrategy:"merge" patchMergeKey:"uid"`
	// Finalizers must all be removed before a deleted object disappears.
	Finalizers []string `json:"finalizers,omitempty" patchStrategy:"merge"`
	// ManagedFields records which manager owns which field, for apply.
	ManagedFields []ManagedFieldsEntry `json:"managedFields,omitempty"`
}

// Clone returns a copy that shares nothing with m. A kind that embeds ObjectMeta
// inherits this method; it copies the metadata only.
func (m ObjectMeta) Clone() ObjectMeta {
	m.DeletionTimestamp = clonePointer(m.DeletionTimestamp)
	m.DeletionGracePeriodSeconds = clonePointer(m.DeletionGracePeriodSeconds)
	m.Labels = maps.Clone(m.Labels)
	m.Annotations = maps.Clone(m.Annotations)
	m.OwnerReferences = slices.Clone(m.OwnerReferences)
	for i := range m.OwnerReferences {
		o := &m.OwnerReferences[i]
		o.Controller = clonePointer(o.Controller)
		o.BlockOwnerDeletion = clonePointer(o.BlockOwnerDeletion)
	}
	m.Finalizers = slices.Clone(m.Finalizers)
	m.ManagedFields = slices.Clone(m.ManagedFields)
	for i := range m.ManagedFields {
		e := &m.ManagedFields[i]
		e.Time = clonePointer(e.Time)
		if e.FieldsV1 != nil {
			e.FieldsV1 = &FieldsV1{Raw: slices.Clone(e.FieldsV1.Raw)}
		}
	}
	return m
}

// HasFinalizer reports whether the object has a finalizer.
func (m ObjectMeta) HasFinalizer(name string) bool { return slices.Contains(m.Finalizers, name) }

// AddFinalizer adds a finalizer, and reports whether it changed the object. A deleted object remains until all its
// finalizers are removed (API conventions, Metadata). The server refuses a new finalizer on an object that is being
// deleted. [ValidateFinalizerName] states the rules for names.
func (m *ObjectMeta) AddFinalizer(name string) (added bool) {
	if m.HasFinalizer(name) {
		return false
	}
	m.Finalizers = append(m.Finalizers, name)
	return true
}

// RemoveFinalizer removes a finalizer, and reports whether it changed the object. It leaves slices shared with other
// copies of m unchanged.
func (m *ObjectMeta) RemoveFinalizer(name string) (removed bool) {
	n := len(m.Finalizers)
	m.Finalizers = slices.DeleteFunc(slices.Clone(m.Finalizers), func(f string) bool { return f == name })
	return len(m.Finalizers) < n
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// OwnerReference names an object in the same namespace, or a cluster-scoped
// one, on which another object depends. Controller and BlockOwnerDeletion are
// optional; the other members are required.
type OwnerReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	// Controller marks the one owner that manages the object.
	Controller *bool `json:"controller,omitempty"`
	// BlockOwnerDeletion makes a foreground deletion of the owner wait until this
	// reference is gone.
	BlockOwnerDeletion *bool `json:"blockOwnerDeletion,omitempty"`
}

// ListMeta is the metadata of a list and of a few answers that are not objects
// (API conventions, Types (Kinds), "Lists").
type ListMeta struct {
	// SelfLink is a legacy member that the server leaves empty.
	SelfLink string `json:"selfLink,omitempty"`
	// ResourceVersion is the revision the list shows. A watch may start from it.
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// Continue, when not empty, is the token that fetches the next page.
	Continue string `json:"continue,omitempty"`
	// RemainingItemCount is how many items follow this page. It is absent when
	// nothing follows or when a selector makes it unknown.
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty"`
	// ShardInfo is set if the list contains only the objects in a shard.
	ShardInfo *ShardInfo `json:"shardInfo,omitempty"`
}

// ShardInfo describes the shard that a list contains.
type ShardInfo struct {
	// Selector is the shardSelector of the request.
	Selector string `json:"selector"`
}
