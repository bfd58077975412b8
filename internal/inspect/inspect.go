// Package inspect is what package rest shows of a definition to package rest/resttest, which vets the kinds of a host
// against the API conventions. It is data without behaviour, so that neither has to know the other.
package inspect

import (
	"reflect"

	"github.com/decorum-go/decorum/internal/schema"
)

// Resource is a definition as rest.New understands it, all defaults filled in.
type Resource struct {
	Group, Version                   string
	Kind, ListKind, Plural, Singular string
	ShortNames                       []string
	Namespaced                       bool
	// Virtual kinds are calls, which are answered and never stored.
	Virtual bool
	// Builtin says that the resource speaks the dialect of the kinds that Kubernetes itself brings.
	Builtin bool
	// Object is the type of the objects.
	Object Type
	// Subresources are the host's own; Kind of each is the name of its kind.
	Subresources []Subresource
	// Versions are the other versions of the resource; they have none themselves.
	Versions []Resource
}

// Subresource is one of the host's own subresources.
type Subresource struct {
	Name, Kind string
	Type       Type
}

// Type is a Go type and the schema that was derived from it.
type Type struct {
	Go     reflect.Type
	Schema *schema.Schema
}
