package rest

import "github.com/decorum-go/decorum/rest/internal/resource"

// NamespacesOf declares the resource of namespaces, T being Namespace of k8s.io/api/core/v1 or a struct of the same
// JSON. An API that serves it lets objects be created only in a namespace that exists and is not being deleted; an API
// without it takes any namespace. The namespace "default" is made when the API starts, and cannot be deleted.
//
// A namespace is deleted in two steps (API concepts, Resource deletion): DELETE marks it as Terminating, and it is gone
// when spec.finalizers, which PUT of its subresource /finalize changes, and metadata.finalizers are both empty.
func NamespacesOf[T any]() Resource[T] {
	return Resource[T]{
		Version: "v1",
		Plural:  resource.NamespacesPlural,
		Names: Names{
			Kind:  "Namespace",
			Short: []string{"ns"},
			Rule:  DNSLabel,
		},
		Scope: Cluster,
		Wire: Wire{
			Dialect:       Builtin,
			ReturnDeleted: true,
		},
		Verbs:            []Verb{Create, Delete, Get, List, Patch, Update, Watch},
		Columns:          []Column{{Name: "Status", Path: ".status.phase"}, {Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"}},
		SelectableFields: []string{"status.phase"},
		areNamespaces:    true,
	}
}
