package admission

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
)

// Request is a write that a hook reviews. The hook must not use it after it has returned.
type Request struct {
	// User is the user who writes, from the context of the request (see [access.WithUser]).
	User access.User
	// Operation is what the write does.
	Operation Operation
	// Kind is the kind of the object, in the stored version, or the kind of the subresource if it has one of its own.
	Kind apimeta.GroupVersionKind
	// Resource and Subresource are the ones in the URL, in the version of the request.
	Resource    apimeta.GroupVersionResource
	Subresource string
	// Namespace is empty for a cluster-scoped resource. Name is set even if the server generates it.
	Namespace, Name string
	// Options are the options of the request.
	Options Options
	// DryRun says that the API will not store the object.
	DryRun bool

	Write
}

// Options are the options of a request that a hook reviews. Exactly one field is set, and none if the client connects.
// The request decides which one, and not the [Operation]: an apply that creates an object has Patch. Webhooks and
// policies see a Patch as in Kubernetes: as the options of a create or of an update, without force.
type Options struct {
	Create *apimeta.CreateOptions
	Update *apimeta.UpdateOptions
	Patch  *apimeta.PatchOptions
	Delete *apimeta.DeleteOptions
}

// Write is what a hook may ask of a write and change in it. The API implements it. Later releases may add methods, so
// implement it in tests of hooks only.
//
// Most hooks need the first five methods. The others are for plug-ins that pass writes on to others, such as webhooks or
// policies: these see and change the object in the [KindVersion] that they ask for.
type Write interface {
	// Object decodes the object that the write would store into a value of the host: the Go type of the kind or of one of
	// its versions, a struct with some of its fields, or a map. The object is converted to the version of that Go type,
	// whatever the version of the request is; for any other type it is in the stored version. If the client connects, the
	// object is the options of the stream. A deletion has no object, so Object then fails.
	Object(into any) error
	// OldObject decodes the object as it was before the write, in the same way as Object. It fails if the operation has no
	// old object.
	OldObject(into any) error
	// SetObject replaces the object by obj, in the version that Object would use for the type of obj. Fields that the type
	// does not have, and zero values that it omits, keep their values. It fails outside of Mutate.
	SetObject(obj any) error
	// Patch applies a patch to the object, in the stored version. form is one of the patch types that the resource takes.
	// It fails outside of Mutate.
	Patch(form apimeta.PatchType, data []byte) error
	// Warn adds a warning for a person to the answer (API conventions, Warnings). Keep the text below 120 characters.
	Warn(text string)

	// Version returns the version of the request.
	Version() KindVersion
	// Versions returns all versions in which a client could make this write, at the same subresource. The version of the
	// request comes first.
	Versions() []KindVersion
	// ObjectIn decodes the object that the write would store into a value of the host, in a version of this request. ok is
	// false if the operation has no object.
	ObjectIn(v KindVersion, into any) (ok bool, err error)
	// OldObjectIn decodes the object as it was before the write, in the same way as ObjectIn.
	OldObjectIn(v KindVersion, into any) (ok bool, err error)
	// ReplaceObjectIn replaces the whole object by obj, in a version of this request, and defaults it. Fields that obj
	// lacks are removed. The error is one of the server if the Go type of a built-in kind cannot hold obj. ReplaceObjectIn
	// fails outside of Mutate.
	ReplaceObjectIn(v KindVersion, obj any) error
	// MergedIn decodes into a value of the host what the object would be if a client applied a configuration to it (API
	// concepts, Server-Side Apply), in a version of this request. Nobody owns the fields of the configuration. MergedIn
	// does not change the object.
	MergedIn(v KindVersion, configuration, into any) error
	// IsNamespace reports whether the object is a namespace of the API.
	IsNamespace() bool
	// NamespaceObject decodes the namespace of the object into a value of the host. A namespace is in itself: in its new
	// state or, if the write deletes it or writes a subresource, in the stored one. ok is false for every other
	// cluster-scoped object. If the API serves no namespaces, the namespace consists of its name and of the label with its
	// name.
	NamespaceObject(ctx context.Context, into any) (ok bool, err error)
	// WarnAlways adds a warning to the answer, also if the write fails.
	WarnAlways(text string)
	// Remember keeps a value for the second Mutate of the hook for this write. Another attempt, after a write that commits
	// first, begins without it.
	Remember(value any)
	// Remembered returns the value of Remember, or nil.
	Remembered() any
	// MutateAgain asks for the second Mutate even if no later hook changes the object.
	MutateAgain()
}

// KindVersion is a version in which a hook may see the object of a write.
type KindVersion struct {
	// Resource is the resource in this version.
	Resource apimeta.GroupVersionResource
	// Kind is the kind of the object in this version, or the kind of the subresource if it has one of its own.
	Kind apimeta.GroupVersionKind
}
