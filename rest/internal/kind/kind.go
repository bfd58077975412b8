package kind

import (
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
)

// The verbs of a resource (API conventions, Verbs on Resources).
const (
	Get              = "get"
	List             = "list"
	Watch            = "watch"
	Create           = "create"
	Update           = "update"
	Patch            = "patch"
	Delete           = "delete"
	DeleteCollection = "deletecollection"
)

// The media types of patches (API concepts, Patches).
const (
	JSONPatch      = "application/json-patch+json"
	MergePatch     = "application/merge-patch+json"
	StrategicPatch = "application/strategic-merge-patch+json"
	ApplyPatch     = "application/apply-patch+yaml"
)

// Kind describes a kind as it is served in one version of one group. A kind that is served in several versions, or in
// several groups, has a description for each; Stored is the same in all of them.
type Kind struct {
	apimeta.GroupVersionKind
	// Stored is the group, version and kind under which the store keeps the objects.
	Stored apimeta.GroupVersionKind

	Plural, Singular, ListKind string
	ShortNames, Categories     []string
	Description                string

	Namespaced bool
	// Virtual kinds are calls: the server answers them and stores nothing.
	Virtual bool
	// Builtin kinds speak the dialect of the kinds that are built into Kubernetes' own servers.
	Builtin bool
	// RouteChecks and BriefDiscovery are switches of the dialect: media types are refused where the route is chosen, and the
	// entry of the kind in the aggregated document of discovery leaves out the group and version that are its own.
	RouteChecks, BriefDiscovery bool

	// Verbs are get, list, watch, create, update, patch, delete and deletecollection, in the order of discovery.
	Verbs []string
	// PatchTypes are the media types that a PATCH takes.
	PatchTypes []string
	// SelectableFields are the fields that a field selector may name beside name and namespace.
	SelectableFields []string

	// Warning is what clients of a deprecated version are told; empty for others.
	Warning string

	// Schema describes an object, apiVersion, kind and metadata included.
	Schema *schema.Schema
	// GoType is the type of the objects, nil for a kind without one.
	GoType reflect.Type

	// Subresources are in the order of discovery.
	Subresources []Subresource
}

// Subresource describes what stands below an object's path.
type Subresource struct {
	// GroupVersionKind is what the subresource sends and takes.
	apimeta.GroupVersionKind
	Name string
	// Verbs are get, update, patch, create and delete.
	Verbs []string
	// OfObject says that the subresource is a part of the object, of the object's own kind.
	OfObject bool
	// Schema describes the subresource's kind. A part of an object has that of the object, a stream none.
	Schema *schema.Schema
	// GoType is the host's type of the subresource, nil if there is none.
	GoType reflect.Type
	// Stream describes a subresource that carries bytes; nil for one with a Schema.
	Stream *Stream
}

// Stream describes a subresource that carries bytes.
type Stream struct {
	// Options describes the parameters of the URL.
	Options *schema.Schema
	// Media is the media type of the answer. It is empty if the connection becomes another one; the verbs are then only names
	// for HTTP methods.
	Media string
	// Below says that paths below the subresource are served too.
	Below bool
}

// GroupResource names the resource.
func (k *Kind) GroupResource() apimeta.GroupResource {
	return apimeta.GroupResource{Group: k.Group, Resource: k.Plural}
}

// Path is the path below which a group and version is served.
func Path(gv apimeta.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}
