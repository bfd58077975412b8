package access

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/keys"
)

// Access describes the access that a request needs: a user, and a verb on a resource or on a path outside all
// resources. Middleware gets it from API.AccessOf, and a hook from [AccessFrom]. An [Authorizer] decides about it.
type Access struct {
	// User is the user who would act.
	User User
	// Verb is the verb for a resource, or an HTTP method in lower case for a path. It is empty if the method of a resource
	// request does not correspond to a verb. An Authorizer is also asked about verbs without a constant: impersonate, the
	// verbs in access reviews, and "*" in a review, which means all verbs.
	Verb Verb
	// Group, Version and Resource name the resource; Resource is its plural. In an access review each may be "*". Resource
	// is empty if Path is set.
	Group, Version, Resource string
	// Subresource is empty for the object itself.
	Subresource string
	// Namespace is empty for all namespaces, and for cluster-scoped resources. If Resource is "namespaces", it is the same
	// as Name. Name is empty for a request about all objects, and for a create, because only the body contains the name. A
	// list or watch has a Name if its field selector requires that name.
	Namespace, Name string
	// LabelSelector and FieldSelector are the selectors of a list, a watch or a deletion of a collection. They contain the
	// text that the client sent, which may be invalid (see [apimeta.ParseLabelSelector] and [apimeta.ParseFieldSelector]).
	LabelSelector, FieldSelector string
	// Path is a path outside all resources, such as "/version".
	Path string
}

// AccessFrom returns the access of the request for which a hook runs. ctx must be the context that the hook received.
// It works in hooks of a kind and of an admission, in functions of a Subresource or a Stream, and in an [Authorizer]
// that answers an access review. For a call of an in-process client, AccessFrom returns the access of the equivalent
// HTTP request. With any other context, it sets only the User.
func AccessFrom(ctx context.Context) Access {
	var a Access
	if call, ok := ctx.Value(keys.Call{}).(interface{ Question() Access }); ok {
		a = call.Question()
	}
	a.User = UserFrom(ctx)
	return a
}
