package access

import "context"

// RuleLister is an [Authorizer] that can list what a user may do. kubectl auth can-i --list shows the list.
type RuleLister interface {
	// RulesFor returns the rules for a user in a namespace, and the rules for paths.
	RulesFor(ctx context.Context, u User, namespace string) (AccessRules, error)
}

// AccessRules list accesses that are allowed. "*" in a list means everything. Incomplete is set if the user may be
// allowed more.
type AccessRules struct {
	Resources  []ResourceAccess
	Paths      []PathAccess
	Incomplete bool
}

// ResourceAccess allows verbs on resources. Resources are plurals, with a subresource after a slash, such as
// "widgets/status". Without Names, it allows the verbs on all objects.
type ResourceAccess struct {
	Verbs                    []Verb
	Groups, Resources, Names []string
}

// PathAccess allows verbs on paths outside all resources. Its verbs are HTTP methods in lower case. A path that ends
// with "*" covers the paths that begin with the rest of it.
type PathAccess struct {
	Verbs []Verb
	Paths []string
}
