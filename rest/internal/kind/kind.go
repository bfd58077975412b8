package kind

import (
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
)

// The media types of patches (API concepts, Patches).
const (
	JSONPatch      = string(apimeta.JSONPatch)
	MergePatch     = string(apimeta.MergePatch)
	StrategicPatch = string(apimeta.StrategicPatch)
	ApplyPatch     = "application/apply-patch+yaml"
)

// Kind describes a kind as it is served in one version of one group. A kind that is served in several versions or
// groups has one description for each, and Stored is the same in all of them. A Kind does not change once the API
// serves it.
type Kind struct {
	apimeta.GroupVersionKind
	// Stored is the group, version and kind under which the store keeps the objects.
	Stored apimeta.GroupVersionKind

	Plural, Singular, ListKind string
	ShortNames, Categories     []string
	Description                string

	Namespaced bool
	// Virtual says that the kind is a call: the server answers it and stores nothing.
	Virtual bool
	// Elsewhere says that the server does not store the objects.
	Elsewhere bool
	// Builtin says that the kind follows the dialect of the kinds that are built into kube-apiserver.
	Builtin bool
	// RouteChecks says that the route refuses unsupported media types. BriefDiscovery says that the entry of the kind in
	// the aggregated document of discovery leaves out its own group and version.
	RouteChecks, BriefDiscovery bool

	// Verbs are get, list, watch, create, update, patch, delete and deletecollection, in the order of discovery.
	Verbs []string
	// PatchTypes are the media types that a PATCH accepts.
	PatchTypes []string
	// SelectableFields are the fields that a field selector may name, besides name and namespace, as [Selectable] reads
	// them.
	SelectableFields []string

	// Queried says that clients may use the parameters of queries.
	Queried bool
	// Sharded reports whether clients may list and watch shards.
	Sharded bool

	// Warning is the text that clients of a deprecated version get. It is empty for other versions.
	Warning string

	// Schema describes the whole object, including apiVersion, kind and metadata.
	Schema *schema.Schema
	// GoType is the Go type of the objects, or nil.
	GoType reflect.Type

	// Subresources are in the order of discovery.
	Subresources []Subresource
}

// Subresource describes a subresource of a kind.
type Subresource struct {
	// GroupVersionKind is the kind of the body and of the answer.
	apimeta.GroupVersionKind
	Name string
	// Verbs are get, update, patch, create and delete.
	Verbs []string
	// OfObject says that the subresource is a part of the object and has the object's own kind.
	OfObject bool
	// Schema describes the subresource's kind. A part of an object has the object's schema; a stream has no schema.
	Schema *schema.Schema
	// GoType is the host's type of the subresource, or nil.
	GoType reflect.Type
	// History and Undo mark the subresources of a kind that keeps former versions of its objects.
	History, Undo bool
	// Stream describes a subresource that carries bytes. It is nil for all others.
	Stream *Stream
}

// Stream describes a subresource that carries bytes.
type Stream struct {
	// Options describes the parameters of the URL.
	Options *schema.Schema
	// Media is the media type of the answer. It is empty if the answer upgrades the connection. The verbs of the
	// subresource are then only names for HTTP methods.
	Media string
	// Below says that paths below the subresource are served too.
	Below bool
}

// GroupResource returns the group and the plural of the kind.
func (k *Kind) GroupResource() apimeta.GroupResource {
	return apimeta.GroupResource{Group: k.Group, Resource: k.Plural}
}

// Names returns the names that the kind has in its group: the plural, the singular and the short names.
func (k *Kind) Names() []string { return append([]string{k.Plural, k.Singular}, k.ShortNames...) }

// Path returns the path below which a group and version is served.
func Path(gv apimeta.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}
