package rest

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// Authorizer decides what users may do. It must be safe for concurrent use. Package rest/rbac has one that follows the roles and
// bindings of Kubernetes.
//
// An Authorizer that can list its rules is a [RuleLister]. One that reads its rules from the API is a part of a [Plugin]. [Authorizers]
// combine several.
type Authorizer interface {
	// Authorize decides about an access. If it cannot decide, it returns an error: clients receive an error of package status unchanged,
	// and a 500 for any other error, whose text goes to the log. An error does not matter if the decision is Allow.
	Authorize(ctx context.Context, a Access) (Decision, error)
}

// AuthorizerFunc is a function that is an [Authorizer].
type AuthorizerFunc func(ctx context.Context, a Access) (Decision, error)

// Authorize implements [Authorizer].
func (f AuthorizerFunc) Authorize(ctx context.Context, a Access) (Decision, error) { return f(ctx, a) }

// Decision is the answer of an [Authorizer]. The zero value allows nothing.
type Decision struct {
	Verdict Verdict
	// Reason explains the verdict. A client that is refused sees it.
	Reason string
	// Only lists the objects to which AllowOnly allows the access: those that match at least one of the filters, so none if Only is empty.
	// With Allow, Only must be empty.
	Only []Filter
}

// Filter describes objects of a resource. It matches the objects that meet all its conditions; the zero Filter matches every object.
type Filter struct {
	// Labels selects by labels, as the store holds them. A conversion to another version that changes labels does not change what a filter
	// selects.
	Labels apimeta.Selector
	// Fields selects by fields, in the version of the request. Only the fields that clients can use in field selectors are allowed (see
	// [Resource]).
	Fields apimeta.FieldSelector
	// Namespace is the namespace of the objects, or empty for any. A namespace counts as being in itself. No other cluster-scoped object is
	// in a namespace.
	Namespace string
}

// Verdict says whether an access is allowed.
type Verdict int

const (
	// NoOpinion leaves the decision to the next of several authorizers (see [Authorizers]). The API refuses the access if no
	// authorizer has an opinion.
	NoOpinion Verdict = iota
	// Allow allows the access.
	Allow
	// Deny refuses the access. Later authorizers are not asked.
	Deny
	// AllowOnly allows the access to the objects that match [Decision.Only]. For the client, the others do not exist: it gets 404 for them,
	// lists and watches leave them out, and no write can move an object out of the filters (403). Only their names remain taken (409). An
	// access without objects, such as one to a path or an impersonation, is refused.
	AllowOnly
)

// RightsChanged makes the API ask [Options.Authorizer] again about every open watch and stream. If the user may no longer do exactly the
// same, a watch ends with 410 Expired, so that its client lists again, and the context of a stream ends. RightsChanged returns at once. An
// Authorizer calls it after its rules have changed; package rest/rbac does.
func (a *API) RightsChanged() { a.rights.Changed() }

// Authorize returns the decision of [Options.Authorizer] about an access, for use in a hook. ctx must be the context that the hook
// received. If a names no user, it is the user of ctx, and calls of in-process clients may do everything unless they act as a user (see
// [Client.AsUser]). If the API has no Authorizer, everything is allowed, except impersonation.
func Authorize(ctx context.Context, a Access) (Decision, error) {
	authorizer, ok := AuthorizerFrom(ctx)
	if !ok {
		return unguarded(a), nil
	}
	if a.User.Name == "" && len(a.User.Groups) == 0 {
		a.User = UserFrom(ctx)
		c, inProcess := ctx.Value(accessKey{}).(*call)
		ok = ok && !(inProcess && !c.acting)
	}
	if !ok {
		return Decision{Verdict: Allow}, nil
	}
	return authorizer.Authorize(ctx, a)
}

// unguarded returns the decision of an API without an Authorizer.
func unguarded(a Access) Decision {
	if a.Path == "" && identity.IsImpersonation(a.Verb) {
		return Decision{Reason: "the server has no authorizer and does not support impersonation"}
	}
	return Decision{Verdict: Allow, Reason: "the server has no authorizer and allows everything except impersonation"}
}

// AuthorizerFrom returns the Authorizer of the API that runs a hook, with those of its plug-ins. ok is false if the API has none.
func AuthorizerFrom(ctx context.Context) (authorizer Authorizer, ok bool) {
	if env := write.EnvironmentOf(ctx); env != nil {
		authorizer = env.Owner.(*API).options.Authorizer
	}
	return authorizer, authorizer != nil
}
