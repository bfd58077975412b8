package rest

import "context"

// Access is one thing that a user would do, as authorization sees it: a verb on a resource, or on a path that belongs to
// no resource.
type Access struct {
	// User is who would do it.
	User User
	// Verb is a [Verb] of a resource, or an HTTP method in lower case of a path. Clients may ask about verbs that the API does
	// not know, and about "*", which is all of them.
	Verb string
	// Group, Version and Resource say of which resource, by its plural; each may be "*". Resource is empty if Path is set.
	Group, Version, Resource string
	// Subresource is empty for the object itself.
	Subresource string
	// Namespace is empty for all namespaces, and for cluster-scoped resources; Name is empty for all objects.
	Namespace, Name string
	// Path is a path that belongs to no resource, like "/version".
	Path string
}

// Decider says whether an access is allowed. A reason is shown to who has asked. An error means that there is no answer:
// the request fails, with an error of package status as it is, and with any other as a 500, whose text goes to the
// log. A Decider may be called by many goroutines at one time.
type Decider func(ctx context.Context, a Access) (allowed bool, reason string, err error)
