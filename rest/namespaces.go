package rest

import (
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// NamespacesOf declares the resource of namespaces. T is Namespace of k8s.io/api/core/v1, or a struct with the same
// JSON. If an API serves namespaces, objects can be created only in a namespace that exists and is not being deleted;
// otherwise the API accepts any namespace. New creates the namespace "default", which cannot be deleted.
//
// A namespace is deleted in two steps (API concepts, Resource deletion). DELETE marks it as Terminating. It is removed
// when spec.finalizers, which clients change through its subresource /finalize, and metadata.finalizers are both empty.
func NamespacesOf[T any]() Resource[T] {
	return Resource[T]{
		Version: "v1",
		Plural:  resource.NamespacesPlural,
		Names:   Names{Kind: "Namespace", Short: []string{"ns"}, Rule: NameDNSLabel},
		Scope:   ScopeCluster,
		Wire:    Wire{Dialect: DialectBuiltin, ReturnDeleted: true},
		Verbs:   []access.Verb{access.VerbCreate, access.VerbDelete, access.VerbGet, access.VerbList, access.VerbPatch, access.VerbUpdate, access.VerbWatch},
		Columns: []Column{{Name: "Status", Path: ".status.phase"},
			{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"}},
		SelectableFields: []string{"status.phase"},
		strategy:         resource.Namespaces,
	}
}
