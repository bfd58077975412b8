package rest

import (
	"errors"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Description describes one version of a kind for programs that check, document or export kinds. [Describe] makes it
// from a [Definition].
type Description struct {
	// Resource is the declaration of the version as the API serves it. Names, the text of Stage and Schema.OpenAPI have
	// their defaults, and a further version has what the stored version declares for all of them. Resource lacks Hooks,
	// Subresources and Versions, because their types depend on the Go type. It shares slices and maps with the
	// declaration, so nobody may change them.
	Resource Resource[apimeta.Document]
	// GoType is the Go type of the objects: apimeta.Document for a kind without a Go struct.
	GoType reflect.Type
	// Hooks are the names of the hooks that are set, such as "Validate".
	Hooks []string
	// Converted says that functions of the host convert objects between this version and the stored version.
	Converted bool
	// Subresources are all subresources of the version, including /status and /scale.
	Subresources []DescribedSubresource
}

// DescribedSubresource describes a subresource in a [Description], for tools that document or check kinds.
type DescribedSubresource struct {
	// Name is the last segment of the URL.
	Name string
	// Kind is the kind of the subresource.
	Kind apimeta.GroupVersionKind
	// OfObject says that the subresource is a part of the object, such as /status, and has the object's own kind.
	OfObject bool
	// GoType is the Go type of a [Subresource]. It is nil for every other subresource.
	GoType reflect.Type
}

// Describe describes all versions of a kind, the stored version first. It needs no API. It returns the error of [New]
// if the definition is wrong.
func Describe(d Definition) ([]Description, error) {
	if d == nil {
		return nil, errors.New("the definition is nil")
	}
	res, err := d.declared().serve(&resource.Environment{})
	if err != nil {
		return nil, err
	}
	var versions []Description
	for _, version := range res.Versions() {
		versions = append(versions, description(version))
	}
	return versions, nil
}

// description describes the version.
func description(res *front.Served) Description {
	out := res.GoType.(*declared).description()
	names := &out.Resource.Names
	names.Kind, names.Singular, names.ListKind = res.Kind.Kind, res.Kind.Singular, res.Kind.ListKind
	out.Resource.Group, out.Resource.Stage.Warning = res.Kind.Group, res.Kind.Warning
	out.Converted = res.Converted
	for _, s := range res.Kind.Subresources {
		out.Subresources = append(out.Subresources,
			DescribedSubresource{Name: s.Name, Kind: s.GroupVersionKind, OfObject: s.OfObject, GoType: s.GoType})
	}
	return out
}

// description describes the part of the version that its declaration contains.
func (d *declared) description() Description {
	out := Description{Resource: d.Resource, GoType: d.goType, Hooks: slices.Clone(d.hooks)}
	out.Resource.strategy = nil
	if d.isDocument() && len(out.Resource.Schema.OpenAPI) == 0 {
		out.Resource.Schema.OpenAPI = []byte(resource.AnyFields)
	}
	return out
}
