package rest

import (
	"context"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/route"
)

// Access is what a request asks for, as authorization sees it: a user, and a verb on a resource or on a path outside of all
// resources. A middleware gets it from [API.AccessOf], a hook from [AccessFrom], and a [Decider] answers about it.
type Access struct {
	// User is the user who would act.
	User User
	// Verb is a [Verb] for a resource, or an HTTP method in lower case for a path. It is empty for a resource if the method stands
	// for no verb. Clients of a Decider may also ask about verbs that the API does not know, and about "*", which means all verbs.
	Verb string
	// Group, Version and Resource name the resource; Resource is its plural. In a question to a Decider each may be "*". Resource
	// is empty if Path is set.
	Group, Version, Resource string
	// Subresource is empty for the object itself.
	Subresource string
	// Namespace is empty for all namespaces, and for cluster-scoped resources. If Resource is "namespaces", it is the same as Name.
	// Name is empty for all objects, and for one whose name is only in the body. A list or a watch has a name if its field selector
	// selects no other.
	Namespace, Name string
	// LabelSelector and FieldSelector narrow down a list, a watch or a deletion of many objects, as text (see
	// [apimeta.ParseSelector] and [apimeta.ParseFieldSelector]). The text comes from the client and need not be valid.
	LabelSelector, FieldSelector string
	// Path is a path outside of all resources, such as "/version".
	Path string
}

// Decider decides whether an access is allowed. The client sees the reason. An error means that there is no decision: clients
// receive an error of package status as it is, and any other error as a 500, whose text goes to the log. Many goroutines call a
// Decider at once.
type Decider func(ctx context.Context, a Access) (allowed bool, reason string, err error)

// AccessOf returns what a request asks, for a middleware that authorizes it. The middleware stands between the API and an
// [http.StripPrefix], if there is one, so that both see the same path.
//
// AccessOf splits a path as the API does, escaped characters included, and reads the path of a resource that is not served as
// kube-apiserver does. A middleware that splits paths by itself is not safe: clients could reach what it has not authorized. A
// path that no object can have, such as one with an escaped slash in a name, is a path outside of all resources; the API answers
// 404.
func (a *API) AccessOf(r *http.Request) Access {
	return accessOf(UserFrom(r.Context()), route.Read(r.Method, r.URL, a.serving.Load()))
}

// AccessFrom returns what the request asks that a hook serves. ctx is the context that the hook received: a hook of a kind, an
// [Admission], a function of a [Subresource], a [Stream], or a [Decider]. A call of an in-process client asks what a request for
// the same would ask. With any other context, only the User is set.
func AccessFrom(ctx context.Context) Access {
	var q route.Question
	if asked, ok := ctx.Value(accessKey{}).(interface{ question() route.Question }); ok {
		q = asked.question()
	}
	return accessOf(UserFrom(ctx), q)
}

type accessKey struct{}

func accessOf(u User, q route.Question) Access {
	return Access{User: u, Verb: q.Verb, Group: q.Group, Version: q.Version, Resource: q.Resource, Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name,
		LabelSelector: q.LabelSelector, FieldSelector: q.FieldSelector, Path: q.Path}
}

// question implements what [AccessFrom] looks for.
func (q *request) question() route.Question { return route.Read(q.r.Method, q.r.URL, q.serving) }
