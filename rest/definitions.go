package rest

import "github.com/decorum-go/decorum/rest/internal/resource"

// DefinitionsOf declares the resource of definitions of kinds. T is CustomResourceDefinition of package
// rest/crd/apiextensions, or a struct with the same JSON. Hosts use package crd, which serves the kinds as well.
//
// status.storedVersions records every version in which objects of the kind may be stored: a write that changes the
// storage version adds it. The server adds a finalizer to each definition. DELETE marks a definition as Terminating,
// and the server removes the definition when it has no finalizers left.
func DefinitionsOf[T any]() Resource[T] {
	return Resource[T]{
		Group: "apiextensions.k8s.io", Version: "v1", Plural: "customresourcedefinitions",
		Scope: ScopeCluster,
		Names: Names{Kind: "CustomResourceDefinition", Short: []string{"crd", "crds"},
			Categories: []string{"api-extensions"}},
		Wire:     Wire{Dialect: DialectBuiltin, Generation: true, VersionRequired: true, PlainMetadata: true},
		strategy: resource.Definitions,
	}
}
