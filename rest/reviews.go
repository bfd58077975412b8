package rest

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/review"
	"github.com/decorum-go/decorum/status"
)

// Reviews returns the kinds through which a client asks who it is and what it may do, as kubectl auth whoami and kubectl auth
// can-i do: SelfSubjectReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview and LocalSubjectAccessReview.
// SelfSubjectReview answers with the user in the request's context (see [WithUser]). decide answers the access reviews.
//
// The API itself refuses no user; the host's middleware does. Set decide to the function that the middleware uses, so that the
// answers match. SubjectAccessReview and LocalSubjectAccessReview tell their clients what other users may do, as in Kubernetes,
// so the middleware must restrict them. SelfSubjectRulesReview returns an empty list and says that it is incomplete, because the
// rules of a function cannot be listed; clients then ask about one access after another. If decide is nil, Reviews returns only
// SelfSubjectReview.
func Reviews(decide Decider) []Definition {
	reviews := []Definition{
		Resource[review.Self]{
			Group: "authentication.k8s.io", Version: "v1", Plural: "selfsubjectreviews", Names: Names{Kind: "SelfSubjectReview"},
			Description: "Tells the client as which user the server sees it.",
			Scope:       Cluster, Wire: Wire{Dialect: Builtin},
			Hooks: Hooks[review.Self]{
				Call: func(ctx context.Context, r *review.Self) error {
					u := UserFrom(ctx)
					r.Status.UserInfo = review.UserInfo{Username: u.Name, UID: u.UID, Groups: u.Groups, Extra: u.Extra}
					return nil
				},
			},
		},
	}
	if decide == nil {
		return reviews
	}
	return append(reviews,
		Resource[review.SelfAccess]{
			Group: authorizationGroup, Version: "v1", Plural: "selfsubjectaccessreviews", Names: Names{Kind: "SelfSubjectAccessReview"},
			Description: "Tells the client whether it may take an action.",
			Scope:       Cluster, Wire: Wire{Dialect: Builtin},
			Hooks: Hooks[review.SelfAccess]{
				Validate: func(_ context.Context, r, _ *review.SelfAccess) status.FieldErrors { return r.Spec.Check() },
				Call: func(ctx context.Context, r *review.SelfAccess) (err error) {
					r.Status, err = decide.review(ctx, accessOf(UserFrom(ctx), r.Spec.Asked()))
					return err
				},
			},
		},
		decide.aboutOthers("SubjectAccessReview", "subjectaccessreviews", Cluster, "Tells whether a user may take an action."),
		decide.aboutOthers("LocalSubjectAccessReview", "localsubjectaccessreviews", Namespaced, "Tells whether a user may take an action in a namespace."),
		Resource[review.Rules]{
			Group: authorizationGroup, Version: "v1", Plural: "selfsubjectrulesreviews", Names: Names{Kind: "SelfSubjectRulesReview"},
			Description: "Lists what the client may do in a namespace.",
			Scope:       Cluster, Wire: Wire{Dialect: Builtin},
			Hooks: Hooks[review.Rules]{
				Call: func(_ context.Context, r *review.Rules) error {
					r.Status = review.RulesStatus{ResourceRules: []review.ResourceRule{}, NonResourceRules: []review.NonResourceRule{}, Incomplete: true, EvaluationError: noRules}
					return nil
				},
			},
		})
}

const authorizationGroup = "authorization.k8s.io"

// noRules explains to the client why the list of rules is incomplete.
const noRules = "the server decides about each access by itself and keeps no list of rules"

// aboutOthers returns a kind through which a client asks about any user that it names.
func (decide Decider) aboutOthers(kind, plural string, scope Scope, description string) Definition {
	return Resource[review.Access]{
		Group: authorizationGroup, Version: "v1", Plural: plural, Names: Names{Kind: kind}, Description: description,
		Scope: scope, Wire: Wire{Dialect: Builtin},
		Hooks: Hooks[review.Access]{
			Validate: func(_ context.Context, r, _ *review.Access) status.FieldErrors {
				errs := r.Spec.Check()
				if scope == Namespaced {
					errs = append(errs, r.Spec.CheckNamespace(r.Namespace)...)
				}
				return errs
			},
			Call: func(ctx context.Context, r *review.Access) (err error) {
				r.Status, err = decide.review(ctx, accessOf(User{Name: r.Spec.User, UID: r.Spec.UID, Groups: r.Spec.Groups, Extra: r.Spec.Extra}, r.Spec.Asked()))
				return err
			},
		},
	}
}

// review returns the status of an access review.
func (decide Decider) review(ctx context.Context, a Access) (review.AccessStatus, error) {
	allowed, reason, err := decide(ctx, a)
	return review.AccessStatus{Allowed: allowed, Reason: reason}, err
}
