// Package history holds the kinds of the subresources history and undo, which a resource has if it declares a
// rest.History. They are an extension: Kubernetes has no such subresources.
//
// This package may change until v1.1 (docs/stability.md).
package history

import (
	"encoding/json"

	"github.com/decorum-go/decorum/apimeta"
)

// Group and APIVersion identify the kinds of this package.
const (
	Group      = "history.decorum-go.github.io"
	Version    = "v1alpha1"
	APIVersion = Group + "/" + Version
)

// ObjectVersion is one version of an object: a state that a write replaced by another one, or the present state. The
// writes of the status and of metadata other than labels and annotations replace no version.
type ObjectVersion struct {
	apimeta.TypeMeta `json:",inline"`
	// ObjectMeta has the name, the namespace and the uid of the object. Its resourceVersion is the revision of the
	// version: the last resourceVersion that the object had in this version.
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	// Written says who wrote the version. It is empty if the write was before the API kept the history, or before a
	// purge.
	Written Write `json:"written,omitzero"`
	// Current marks the present state of the object.
	Current bool `json:"current,omitempty"`
	// Changed are the paths that differ from the version before, as JSONPath, in order. It holds at most 50 paths; "..."
	// then stands for the others. It is absent if the version before is not kept, or if the user does not see that one.
	Changed []string `json:"changed,omitempty" api:"list=atomic"`
}

// Operation says what kind of write made a change.
type Operation string

// The operations of a [Write].
const (
	Create Operation = "Create"
	Update Operation = "Update"
	Patch  Operation = "Patch"
	Apply  Operation = "Apply"
	Delete Operation = "Delete"
	Undo   Operation = "Undo"
)

// Write says who changed an object, when and how.
type Write struct {
	// Time is the time of the change, by the clock of the server.
	Time apimeta.Time `json:"time,omitzero"`
	// User is the name of the user, as for the Authorizer. Changes by the host itself have the name in Options.HostUser.
	User string `json:"user,omitempty"`
	// Manager is the field manager of the change.
	Manager string `json:"manager,omitempty"`
	// Operation is the kind of the write.
	Operation Operation `json:"operation,omitempty"`
}

// ObjectVersionList is the answer to GET of the subresource history: the versions of an object, the youngest first. If
// the object does not exist, it holds the versions of the last object with this name.
type ObjectVersionList struct {
	apimeta.TypeMeta `json:",inline"`
	// ListMeta has the resourceVersion of the object. It is empty if the object does not exist.
	apimeta.ListMeta `json:"metadata,omitempty"`
	Items            []ObjectVersion `json:"items" api:"list=atomic"`
	// Deleted says who deleted the object. It is absent if the object exists.
	Deleted *Write `json:"deleted,omitempty"`
}

// Difference is the answer to GET of the subresource history with the parameter from: what differs between two
// versions.
type Difference struct {
	apimeta.TypeMeta `json:",inline"`
	// From and To are the revisions of the two versions.
	From string `json:"from"`
	To   string `json:"to"`
	// Changes are in order of their paths.
	Changes []FieldChange `json:"changes"`
}

// FieldChange is a field that differs between two versions. A list counts as one field.
type FieldChange struct {
	// Path is the place of the field as JSONPath, such as .spec.size or .metadata.labels['app.kubernetes.io/name'].
	Path string `json:"path"`
	// Old and New are the values as JSON. A field that a version does not have is absent.
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
}

// UndoRequest is the body of a POST of the subresource undo: it gives an object the content of an earlier version
// again, or creates a deleted object from its last version. The answer is the object.
type UndoRequest struct {
	apimeta.TypeMeta `json:",inline"`
	// Revision names the version. Any resourceVersion that the object had in this version names it. Default: the version
	// before the present one or, if the object is deleted, its last version.
	Revision string `json:"revision,omitempty"`
	// Preconditions must hold for the present object, or for the uid of the deleted one. Otherwise the answer is a
	// Conflict.
	Preconditions *apimeta.Preconditions `json:"preconditions,omitempty"`
}
