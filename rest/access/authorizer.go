package access

import (
	"context"
	"errors"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/status"
)

// Authorizer decides what users may do. It must be safe for concurrent use. Package rest/rbac has one that follows the
// roles and bindings of Kubernetes.
//
// An Authorizer that can list its rules is a [RuleLister]. One that reads its rules from the API is a part of a
// plug-in. [Authorizers] combine several.
type Authorizer interface {
	// Authorize decides about an access. If it cannot decide, it returns an error: clients receive an error of package
	// status unchanged, and a 500 for any other error, whose text goes to the log. An error does not matter if the
	// decision is [Allow] or [AllowOnly].
	Authorize(ctx context.Context, a Access) (Decision, error)
}

// AuthorizerFunc is a function that is an [Authorizer].
type AuthorizerFunc func(ctx context.Context, a Access) (Decision, error)

// Authorize implements [Authorizer].
func (f AuthorizerFunc) Authorize(ctx context.Context, a Access) (Decision, error) { return f(ctx, a) }

// Decision is the answer of an [Authorizer]: [Allow], [AllowOnly], [Deny] or [NoOpinion]. The zero value is NoOpinion
// without a reason.
type Decision struct {
	opinion opinion
	reason  string
	only    []Filter
}

// opinion is what an [Authorizer] thinks of an access.
type opinion int

const (
	noOpinion opinion = iota
	allow
	allowOnly
	deny
)

// Allow returns the decision that allows an access, to all objects if it has objects. The reason explains it in access
// reviews, and may be empty.
func Allow(reason string) Decision { return Decision{opinion: allow, reason: reason} }

// AllowOnly returns the decision that allows an access to the objects that match at least one of the filters, so to
// none without filters. For the client, the others do not exist: it gets 404 for them, lists and watches leave them
// out, and no write can move an object out of the filters (403). Only their names remain taken (409). An access without
// objects, such as one to a path or an impersonation, is refused with 403 and the reason.
func AllowOnly(reason string, filters ...Filter) Decision {
	return Decision{opinion: allowOnly, reason: reason, only: slices.Clone(filters)}
}

// Deny returns the decision that refuses an access. Authorizers after this one are not asked (see [Authorizers]). The
// client sees the reason, which may be empty.
func Deny(reason string) Decision { return Decision{opinion: deny, reason: reason} }

// NoOpinion returns the decision that leaves an access to the next of several authorizers (see [Authorizers]). If none
// has an opinion, the API refuses the access, and the client sees the reasons, which may be empty.
func NoOpinion(reason string) Decision { return Decision{reason: reason} }

// Allowed reports whether the access is allowed without a restriction. It is false for [AllowOnly].
func (d Decision) Allowed() bool { return d.opinion == allow }

// Denied reports whether the decision is [Deny]. An access without an opinion is refused too, unless another authorizer
// allows it.
func (d Decision) Denied() bool { return d.opinion == deny }

// Only returns the filters of [AllowOnly]. ok is false for any other decision. The caller must not change the filters.
func (d Decision) Only() (filters []Filter, ok bool) { return d.only, d.opinion == allowOnly }

// Reason returns the reason of the decision, or "".
func (d Decision) Reason() string { return d.reason }

// Filter describes objects of a resource. It matches the objects that meet all its conditions; the zero Filter matches
// every object.
type Filter struct {
	// Labels selects by labels, as the store holds them. A conversion to another version that changes labels does not
	// change what a filter selects.
	Labels apimeta.LabelMatcher
	// Fields selects by fields, in the version of the request. Only the fields that clients can use in field selectors are
	// allowed (see rest.Resource). A filter by another field is a mistake of the host, which the API cannot know before a
	// request: the client gets a 500, and the log names the field.
	Fields apimeta.FieldMatcher
	// Namespace is the namespace of the objects, or empty for any. A namespace counts as being in itself. No other
	// cluster-scoped object is in a namespace.
	Namespace string
}

// Authorize returns the decision of the Authorizer of an API about an access, for use in a hook. ctx must be the context
// that the hook received, or Authorize returns an InternalError. If a names no user, the user of ctx counts, and
// in-process clients may do everything unless they act as a user (Client.AsUser). If the API has no Authorizer,
// everything is allowed, except impersonation.
func Authorize(ctx context.Context, a Access) (Decision, error) {
	authorizer, known := authorizerIn(ctx)
	switch {
	case !known:
		return Decision{}, status.InternalError(errors.New("access.Authorize: the context does not belong to a hook"))
	case authorizer == nil:
		return unguarded(a), nil
	}
	if a.User.Name == "" && len(a.User.Groups) == 0 {
		a.User = UserFrom(ctx)
		if call, ok := ctx.Value(keys.Call{}).(interface{ OfHost() bool }); ok && call.OfHost() {
			return Allow(""), nil
		}
	}
	return authorizer.Authorize(ctx, a)
}

// unguarded returns the decision of an API without an Authorizer.
func unguarded(a Access) Decision {
	if a.Path == "" && identity.IsImpersonation(string(a.Verb)) {
		return NoOpinion("the server has no authorizer and does not support impersonation")
	}
	return Allow("the server has no authorizer and allows everything except impersonation")
}

// AuthorizerFrom returns the Authorizer of the API that runs a hook, including the Authorizers of plug-ins. ok is false
// if the API has no Authorizer, or if ctx is not the context of a hook.
func AuthorizerFrom(ctx context.Context) (authorizer Authorizer, ok bool) {
	authorizer, _ = authorizerIn(ctx)
	return authorizer, authorizer != nil
}

// authorizerIn returns the Authorizer of the API that runs a hook, or nil if the API has none. inHook reports whether
// ctx is the context of a hook.
func authorizerIn(ctx context.Context) (authorizer Authorizer, inHook bool) {
	in := ctx.Value(keys.Write{})
	if in == nil {
		in = ctx.Value(keys.Environment{})
	}
	hook, inHook := in.(interface{ HookAuthorizer() Authorizer })
	if inHook {
		authorizer = hook.HookAuthorizer()
	}
	return authorizer, inHook
}
