package auth

import (
	"context"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/review"
	"github.com/decorum-go/decorum/status"
)

// Reviews returns the kinds through which a client asks who it is and what it may do, as kubectl auth whoami and kubectl auth
// can-i do: SelfSubjectReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview and LocalSubjectAccessReview.
// The [rest.Authorizer] of the API answers. Without one, everything is allowed.
//
// All clients should be able to create the reviews about themselves. SubjectAccessReview and LocalSubjectAccessReview tell their
// clients what other users may do, as in Kubernetes, so the Authorizer must restrict them. SelfSubjectRulesReview lists the rules of
// an Authorizer that is a [RuleLister]. Otherwise the list is empty and incomplete, and clients ask about one access after
// another.
func Reviews() []rest.Definition {
	return []rest.Definition{
		rest.Resource[review.Self]{
			Group: "authentication.k8s.io", Version: "v1", Plural: "selfsubjectreviews", Names: rest.Names{Kind: "SelfSubjectReview"},
			Description: "Tells the client as which user the server sees it.",
			Scope:       rest.Cluster, Wire: rest.Wire{Dialect: rest.Builtin},
			Hooks: rest.Hooks[review.Self]{
				Call: func(ctx context.Context, r *review.Self) error {
					u := rest.UserFrom(ctx)
					r.Status.UserInfo = review.UserInfo{Username: u.Name, UID: u.UID, Groups: u.Groups, Extra: u.Extra}
					return nil
				},
			},
		},
		rest.Resource[review.SelfAccess]{
			Group: authorizationGroup, Version: "v1", Plural: "selfsubjectaccessreviews", Names: rest.Names{Kind: "SelfSubjectAccessReview"},
			Description: "Tells the client whether it may take an action.",
			Scope:       rest.Cluster, Wire: rest.Wire{Dialect: rest.Builtin},
			Hooks: rest.Hooks[review.SelfAccess]{
				Validate: func(_ context.Context, r, _ *review.SelfAccess) status.FieldErrors { return r.Spec.Check() },
				Call: func(ctx context.Context, r *review.SelfAccess) (err error) {
					r.Status, err = decide(ctx, rest.UserFrom(ctx), &r.Spec)
					return err
				},
			},
		},
		aboutOthers("SubjectAccessReview", "subjectaccessreviews", rest.Cluster, "Tells whether a user may take an action."),
		aboutOthers("LocalSubjectAccessReview", "localsubjectaccessreviews", rest.Namespaced, "Tells whether a user may take an action in a namespace."),
		rest.Resource[review.Rules]{
			Group: authorizationGroup, Version: "v1", Plural: "selfsubjectrulesreviews", Names: rest.Names{Kind: "SelfSubjectRulesReview"},
			Description: "Lists what the client may do in a namespace.",
			Scope:       rest.Cluster, Wire: rest.Wire{Dialect: rest.Builtin},
			Hooks: rest.Hooks[review.Rules]{
				Call: func(ctx context.Context, r *review.Rules) (err error) {
					r.Status, err = rules(ctx, r.Spec.Namespace)
					return err
				},
			},
		},
	}
}

const authorizationGroup = "authorization.k8s.io"

// noRules explains to the client why the list of rules is incomplete.
const noRules = "the server decides about each access by itself and keeps no list of rules"

// aboutOthers returns a kind through which a client asks about any user that it names.
func aboutOthers(kind, plural string, scope rest.Scope, description string) rest.Definition {
	return rest.Resource[review.Access]{
		Group: authorizationGroup, Version: "v1", Plural: plural, Names: rest.Names{Kind: kind}, Description: description,
		Scope: scope, Wire: rest.Wire{Dialect: rest.Builtin},
		Hooks: rest.Hooks[review.Access]{
			Validate: func(_ context.Context, r, _ *review.Access) status.FieldErrors {
				errs := r.Spec.Check()
				if scope == rest.Namespaced {
					errs = append(errs, r.Spec.CheckNamespace(r.Namespace)...)
				}
				return errs
			},
			Call: func(ctx context.Context, r *review.Access) (err error) {
				u := rest.User{Name: r.Spec.User, UID: r.Spec.UID, Groups: r.Spec.Groups, Extra: r.Spec.Extra}
				r.Status, err = decide(ctx, u, &r.Spec.Question)
				return err
			},
		},
	}
}

// decide returns the status of an access review about a user.
func decide(ctx context.Context, u rest.User, question *review.Question) (review.AccessStatus, error) {
	q := question.Asked()
	d, err := rest.Authorize(ctx, rest.Access{User: u, Verb: q.Verb, Group: q.Group, Version: q.Version, Resource: q.Resource, Subresource: q.Subresource,
		Namespace: q.Namespace, Name: q.Name, LabelSelector: q.LabelSelector, FieldSelector: q.FieldSelector, Path: q.Path})
	allowed := d.Verdict == rest.Allow || d.Verdict == rest.AllowOnly
	if allowed {
		err = nil
	}
	return review.AccessStatus{Allowed: allowed, Denied: d.Verdict == rest.Deny, Reason: d.Reason}, err
}

// rules returns the status of a SelfSubjectRulesReview.
func rules(ctx context.Context, namespace string) (review.RulesStatus, error) {
	out := review.RulesStatus{ResourceRules: []review.ResourceRule{}, NonResourceRules: []review.NonResourceRule{}}
	authorizer, ok := rest.AuthorizerFrom(ctx)
	if !ok {
		all := []string{"*"}
		out.ResourceRules = append(out.ResourceRules, review.ResourceRule{Verbs: all, APIGroups: all, Resources: all})
		out.NonResourceRules = append(out.NonResourceRules, review.NonResourceRule{Verbs: all, NonResourceURLs: all})
		return out, nil
	}
	lister, ok := authorizer.(RuleLister)
	if !ok {
		out.Incomplete, out.EvaluationError = true, noRules
		return out, nil
	}
	if namespace == "" {
		return out, status.BadRequest("no namespace on request")
	}
	rules, err := lister.RulesFor(ctx, rest.UserFrom(ctx), namespace)
	if err != nil {
		return out, err
	}
	for _, r := range rules.Resources {
		out.ResourceRules = append(out.ResourceRules, review.ResourceRule{Verbs: r.Verbs, APIGroups: r.Groups, Resources: r.Resources, ResourceNames: r.Names})
	}
	for _, r := range rules.Paths {
		out.NonResourceRules = append(out.NonResourceRules, review.NonResourceRule{Verbs: r.Verbs, NonResourceURLs: r.Paths})
	}
	out.Incomplete = rules.Incomplete
	return out, nil
}
