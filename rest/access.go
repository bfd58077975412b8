package rest

import (
	"context"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/route"
)

// Access describes the access that a request needs: a user, and a verb on a resource or on a path outside all
// resources. Middleware gets it from [API.AccessOf], and a hook from [AccessFrom]. An [Authorizer] decides about it.
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
	// text that the client sent, which may be invalid (see [apimeta.ParseSelector] and [apimeta.ParseFieldSelector]).
	LabelSelector, FieldSelector string
	// Path is a path outside all resources, such as "/version".
	Path string
}

// AccessOf returns the access that a request needs, so that middleware can log or limit the request.
// [Options.Authorizer] is asked about the same access, so middleware need not authorize requests. If the host uses
// [http.StripPrefix], the middleware must run inside of it, because AccessOf expects the path without the prefix.
//
// AccessOf parses a path, including its escapes, exactly as the API does. It parses the path of a resource that the API
// does not serve as kube-apiserver does. Middleware must not parse paths itself: a client could then reach an object
// for which the middleware has not authorized it. AccessOf treats an invalid path, such as one with an escaped slash in
// a name, as a path outside all resources. The API answers such a path with 404.
func (a *API) AccessOf(r *http.Request) Access {
	return accessOf(UserFrom(r.Context()), route.Read(r.Method, r.URL, a.serving.Load()))
}

// AccessFrom returns the access of the request for which a hook runs. ctx must be the context that the hook received.
// It works in hooks of a kind, in an [Admission], in functions of a [Subresource] or a [Stream], and in an [Authorizer]
// that answers an access review. For a call of an in-process client, AccessFrom returns the access of the equivalent
// HTTP request. With any other context, it sets only the User.
func AccessFrom(ctx context.Context) Access {
	var q route.Question
	if asked, ok := ctx.Value(accessKey{}).(interface{ question() route.Question }); ok {
		q = asked.question()
	}
	return accessOf(UserFrom(ctx), q)
}

type accessKey struct{}

func accessOf(u User, q route.Question) Access {
	return Access{User: u, Verb: Verb(q.Verb), Group: q.Group, Version: q.Version, Resource: q.Resource,
		Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name, LabelSelector: q.LabelSelector,
		FieldSelector: q.FieldSelector, Path: q.Path}
}
