package openapi

import (
	"cmp"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
)

// Kind describes what a server serves of one kind in one version.
type Kind struct {
	Group, Version, Kind string
	// ListKind is the kind of its collections; Kind followed by List if it is empty.
	ListKind string
	// Plural is the resource's name in paths.
	Plural     string
	Namespaced bool
	// Schema describes an object, apiVersion, kind and metadata included. Without one, anything goes.
	Schema *schema.Schema
	// Description is used where the schema has none.
	Description string
	// Verbs are those of discovery: get, list, watch, create, update, patch, delete, deletecollection.
	Verbs []string
	// SelectableFields are what a field selector may name beside name and namespace.
	SelectableFields []string
	// PatchTypes are the media types that a PATCH takes.
	PatchTypes []string
	// Subresources of an object, in any order.
	Subresources []Subresource
}

// Subresource describes what stands below an object's path, e.g. status and scale.
type Subresource struct {
	Name string
	// Verbs are get, update, patch, create and delete.
	Verbs []string
	// Group, Version and Kind say what it sends and takes; all empty where that is the object itself.
	Group, Version, Kind string
	// Schema describes that kind; it is not needed where it is the object itself.
	Schema *schema.Schema
	// Stream describes a subresource that carries bytes; nil for one with a Schema.
	Stream *Stream
}

// Stream describes the bytes of a subresource.
type Stream struct {
	// Options describes the parameters of the URL.
	Options *schema.Schema
	// Media is what the answer is. It is empty where the connection becomes another one, and the verbs are only names for
	// HTTP methods.
	Media string
	// Below says that paths below the subresource are served too.
	Below bool
}

func (k *Kind) listKind() string { return cmp.Or(k.ListKind, k.Kind+"List") }

func (k *Kind) gvk() apimeta.GroupVersionKind {
	return apimeta.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// root returns the path below which the group and version are served.
func root(gv apimeta.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}

// sorted returns the kinds in the order in which they are written.
func sorted(kinds []Kind) []Kind {
	kinds = slices.Clone(kinds)
	slices.SortStableFunc(kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Plural, b.Plural))
	})
	return kinds
}
