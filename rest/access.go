package rest

import "context"

// Access is an action that a user would take, as authorization sees it: a verb on a resource, or on a path outside of all
// resources.
type Access struct {
	// User is the user who would act.
	User User
	// Verb is a [Verb] for a resource, or an HTTP method in lower case for a path. Clients may also ask about verbs that the API
	// does not know, and about "*", which means all verbs.
	Verb string
	// Group, Version and Resource name the resource; Resource is its plural. Each may be "*". Resource is empty if Path is set.
	Group, Version, Resource string
	// Subresource is empty for the object itself.
	Subresource string
	// Namespace is empty for all namespaces, and for cluster-scoped resources. Name is empty for all objects.
	Namespace, Name string
	// Path is a path outside of all resources, such as "/version".
	Path string
}

// Decider decides whether an access is allowed. The client sees the reason. An error means that there is no decision: clients
// receive an error of package status as it is, and any other error as a 500, whose text goes to the log. Many goroutines call a
// Decider at once.
type Decider func(ctx context.Context, a Access) (allowed bool, reason string, err error)
