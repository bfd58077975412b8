package apimeta

// ResourceVersionMatch says how a list relates to the resourceVersion it names
// (API concepts, Semantics for get and list).
type ResourceVersionMatch string

const (
	// MatchNotOlderThan asks for data at least as new as the given version.
	MatchNotOlderThan ResourceVersionMatch = "NotOlderThan"
	// MatchExact asks for data at exactly the given version, or 410 when the
	// server no longer has it.
	MatchExact ResourceVersionMatch = "Exact"
)

// DeletionPropagation says what happens to the dependents of a deleted object.
type DeletionPropagation string

const (
	// DeletePropagationOrphan leaves the dependents, without this owner.
	DeletePropagationOrphan DeletionPropagation = "Orphan"
	// DeletePropagationBackground deletes the object at once and its dependents
	// afterwards.
	DeletePropagationBackground DeletionPropagation = "Background"
	// DeletePropagationForeground keeps the object, marked as being deleted, until
	// its dependents are gone.
	DeletePropagationForeground DeletionPropagation = "Foreground"
)

// Finalizers that the server itself sets for a propagation policy.
const (
	FinalizerOrphanDependents = "orphan"             // the finalizer of [DeletePropagationOrphan]
	FinalizerDeleteDependents = "foregroundDeletion" // the finalizer of [DeletePropagationForeground]
)

// DryRunAll is the only value of the DryRun options: run every stage but the
// commit (API concepts, Dry-run).
const DryRunAll = "All"

// FieldValidation says how a write treats unknown and duplicate fields (API
// concepts, Validation for unrecognized or duplicate fields). Empty means
// [FieldValidationWarn].
type FieldValidation string

// The levels of validation.
const (
	FieldValidationIgnore FieldValidation = "Ignore" // ignore them silently
	FieldValidationWarn   FieldValidation = "Warn"   // ignore them and send a Warning header for each
	FieldValidationStrict FieldValidation = "Strict" // refuse the request with 400
)

// GetOptions are the parameters of a read of one object.
type GetOptions struct {
	TypeMeta `json:",inline"`
	// ResourceVersion bounds the age of the answer: empty asks for the most recent
	// state, "0" accepts any state, and any other value accepts a state that is
	// not older.
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// ListOptions are the parameters of a list or, with Watch, of a watch (API
// concepts, Efficient detection of changes).
type ListOptions struct {
	TypeMeta `json:",inline"`
	// LabelSelector has the grammar of [ParseLabelSelector].
	LabelSelector string `json:"labelSelector,omitempty"`
	// FieldSelector has the grammar of [ParseFieldSelector].
	FieldSelector string `json:"fieldSelector,omitempty"`
	// Watch asks for a stream of changes in place of a list.
	Watch bool `json:"watch,omitempty"`
	// AllowWatchBookmarks allows events of type [EventBookmark].
	AllowWatchBookmarks bool `json:"allowWatchBookmarks,omitempty"`
	// ResourceVersion is where a watch starts, or the state a list should show.
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// ResourceVersionMatch qualifies ResourceVersion.
	ResourceVersionMatch ResourceVersionMatch `json:"resourceVersionMatch,omitempty"`
	// TimeoutSeconds bounds how long a watch lasts.
	TimeoutSeconds *int64 `json:"timeoutSeconds,omitempty"`
	// Limit is the largest number of items in a page; zero or less means no limit.
	Limit int64 `json:"limit,omitempty"`
	// Continue is the token of the previous page.
	Continue string `json:"continue,omitempty"`
	// SendInitialEvents asks a watch to begin with the current objects, closed
	// by a bookmark that carries [InitialEventsAnnotation].
	SendInitialEvents *bool `json:"sendInitialEvents,omitempty"`
	// ShardSelector selects the objects whose uid or namespace has a hash in a range, such as
	// "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')". A server without shards ignores it
	// and returns all objects. [ListMeta.ShardInfo] is set if the list is a shard.
	ShardSelector string `json:"shardSelector,omitempty"`
}

// CreateOptions are the parameters of a create in the URL of a request. They are also an object that admission
// webhooks receive.
type CreateOptions struct {
	TypeMeta `json:",inline"`
	// DryRun is empty or holds [DryRunAll].
	DryRun []string `json:"dryRun,omitempty"`
	// FieldManager owns the fields that are written, at most 128 bytes.
	FieldManager string `json:"fieldManager,omitempty"`
	// FieldValidation says what to do about unknown and duplicate fields.
	FieldValidation FieldValidation `json:"fieldValidation,omitempty"`
}

// UpdateOptions are the parameters of a replace in the URL of a request. They are also an object that admission
// webhooks receive.
type UpdateOptions struct {
	TypeMeta `json:",inline"`
	// DryRun is empty or holds [DryRunAll].
	DryRun []string `json:"dryRun,omitempty"`
	// FieldManager owns the fields that are written, at most 128 bytes.
	FieldManager string `json:"fieldManager,omitempty"`
	// FieldValidation says what to do about unknown and duplicate fields.
	FieldValidation FieldValidation `json:"fieldValidation,omitempty"`
}

// PatchType is the media type of a patch.
type PatchType string

// The types of patches (API concepts, Patches). Only resources of the built-in dialect take strategic merge patches.
const (
	JSONPatch      PatchType = "application/json-patch+json"
	MergePatch     PatchType = "application/merge-patch+json"
	StrategicPatch PatchType = "application/strategic-merge-patch+json"
)

// PatchOptions are the parameters of a patch of any type.
type PatchOptions struct {
	TypeMeta `json:",inline"`
	// DryRun is empty or holds [DryRunAll].
	DryRun []string `json:"dryRun,omitempty"`
	// Force takes fields from other managers. It is allowed for apply only.
	Force *bool `json:"force,omitempty"`
	// FieldManager owns the fields that are written, at most 128 bytes. Apply
	// requires it.
	FieldManager string `json:"fieldManager,omitempty"`
	// FieldValidation says what to do about unknown and duplicate fields.
	FieldValidation FieldValidation `json:"fieldValidation,omitempty"`
}

// ApplyOptions say how a client in Go applies a configuration (API concepts, Server-Side Apply).
type ApplyOptions struct {
	// Force takes over fields that other field managers own. Without Force, the
	// apply returns a Conflict with a cause for each of these fields (see
	// status.IsConflict).
	Force bool
}

// Preconditions must hold for a write to happen; a nil member is not checked.
type Preconditions struct {
	// UID must equal the uid of the stored object.
	UID *string `json:"uid,omitempty"`
	// ResourceVersion must equal the resourceVersion of the stored object.
	ResourceVersion *string `json:"resourceVersion,omitempty"`
}

// DeleteOptions are the parameters of a delete, from the query or as the body of
// the request.
type DeleteOptions struct {
	TypeMeta `json:",inline"`
	// GracePeriodSeconds is how many seconds the object has to shut down; nil
	// leaves the choice to the kind, zero deletes at once.
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty"`
	// Preconditions must hold; otherwise the server answers 409.
	Preconditions *Preconditions `json:"preconditions,omitempty"`
	// OrphanDependents is the older form of PropagationPolicy; only one of the
	// two may be set.
	OrphanDependents *bool `json:"orphanDependents,omitempty"`
	// PropagationPolicy says what happens to dependents.
	PropagationPolicy *DeletionPropagation `json:"propagationPolicy,omitempty"`
	// DryRun is empty or holds [DryRunAll].
	DryRun []string `json:"dryRun,omitempty"`
	// IgnoreStoreReadErrorWithClusterBreakingPotential removes an object that
	// cannot be read any more, without finalizers or preconditions.
	IgnoreStoreReadErrorWithClusterBreakingPotential *bool `json:"ignoreStoreReadErrorWithClusterBreakingPotential,omitempty"`
}
