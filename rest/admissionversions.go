package rest

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// A plug-in that passes writes on to others, such as webhooks or policies, sees and changes the object in the version
// that they ask for. These methods are for such plug-ins. Packages rest/webhook and rest/policy are written with them.

// AdmissionVersion is a version in which a hook may see the object of a write.
type AdmissionVersion struct {
	// Resource is the resource in this version.
	Resource apimeta.GroupVersionResource
	// Kind is the kind of the object in this version, or the kind of the subresource if it has one of its own.
	Kind apimeta.GroupVersionKind

	version write.Version
}

func newAdmissionVersion(v write.Version) AdmissionVersion {
	return AdmissionVersion{Resource: v.Resource, Kind: v.Kind, version: v}
}

// Version returns the version of the request.
func (r *AdmissionRequest) Version() AdmissionVersion {
	return newAdmissionVersion(r.review.Requested())
}

// Versions returns all versions in which a client could make this write, at the same subresource. The version of the
// request comes first.
func (r *AdmissionRequest) Versions() []AdmissionVersion {
	known := r.review.Versions()
	versions := make([]AdmissionVersion, len(known))
	for i, v := range known {
		versions[i] = newAdmissionVersion(v)
	}
	return versions
}

// ObjectIn decodes the object that the write would store into a value of the host, in a version of this request. ok is
// false if the operation has no object.
func (r *AdmissionRequest) ObjectIn(v AdmissionVersion, into any) (ok bool, err error) {
	return r.review.ObjectIn(v.version, into)
}

// OldObjectIn decodes the object as it was before the write, in the same way as ObjectIn.
func (r *AdmissionRequest) OldObjectIn(v AdmissionVersion, into any) (ok bool, err error) {
	return r.review.OldObjectIn(v.version, into)
}

// ReplaceObjectIn replaces the whole object by obj, in a version of this request, and defaults it. Fields that obj
// lacks are removed. The error is one of the server if the Go type of a built-in kind cannot hold obj. ReplaceObjectIn
// fails outside of Mutate.
func (r *AdmissionRequest) ReplaceObjectIn(v AdmissionVersion, obj any) error {
	return r.review.ReplaceIn(v.version, obj)
}

// MergedIn decodes into a value of the host what the object would be if a client applied a configuration to it (API
// concepts, Server-Side Apply), in a version of this request. Nobody owns the fields of the configuration. MergedIn
// does not change the object.
func (r *AdmissionRequest) MergedIn(v AdmissionVersion, configuration, into any) error {
	return r.review.MergedIn(v.version, configuration, into)
}

// IsNamespace reports whether the object is a namespace (see [NamespacesOf]).
func (r *AdmissionRequest) IsNamespace() bool { return r.review.AreNamespaces() }

// NamespaceObject decodes the namespace of the object into a value of the host. A namespace is in itself: in its new
// state or, if the write deletes it or writes a subresource, in the stored one. ok is false for every other
// cluster-scoped object. If the API serves no namespaces, the namespace consists of its name and of the label with its
// name.
func (r *AdmissionRequest) NamespaceObject(ctx context.Context, into any) (ok bool, err error) {
	return r.review.NamespaceObject(ctx, into)
}

// WarnAlways adds a warning to the answer, also if the write fails.
func (r *AdmissionRequest) WarnAlways(text string) { r.review.WarnAlways(text) }

// Remember keeps a value for the second Mutate of the hook for this write. Another attempt, after a write that commits
// first, begins without it.
func (r *AdmissionRequest) Remember(value any) { r.review.Memory().Value = value }

// Remembered returns the value of Remember, or nil.
func (r *AdmissionRequest) Remembered() any { return r.review.Memory().Value }

// MutateAgain asks for the second Mutate even if no later hook changes the object.
func (r *AdmissionRequest) MutateAgain() { r.review.Memory().Again = true }
