package auth

import (
	"context"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/review"
	"github.com/decorum-go/decorum/status"
)

// Reviews returns the plug-in of the kinds through which a client asks what other users may do: SubjectAccessReview and
// LocalSubjectAccessReview. The [access.Authorizer] of the API answers. Without any, everything is allowed. The
// Authorizer must restrict who may create them, as in Kubernetes. Every API serves the reviews about oneself (see
// [rest.Options]).
func Reviews() rest.Plugin {
	return rest.PluginParts{Name: "reviews", Definitions: []rest.Definition{
		aboutOthers("SubjectAccessReview", "subjectaccessreviews", rest.ScopeCluster,
			"Tells whether a user may take an action."),
		aboutOthers("LocalSubjectAccessReview", "localsubjectaccessreviews", rest.ScopeNamespaced,
			"Tells whether a user may take an action in a namespace."),
	}}
}

const authorizationGroup = "authorization.k8s.io"

// aboutOthers returns a kind through which a client asks about any user that it names.
func aboutOthers(kind, plural string, scope rest.Scope, description string) rest.Definition {
	return rest.Resource[review.Access]{
		Group: authorizationGroup, Version: "v1", Plural: plural, Names: rest.Names{Kind: kind}, Description: description,
		Scope: scope, Wire: rest.Wire{Dialect: rest.DialectBuiltin},
		Hooks: rest.Hooks[review.Access]{
			Validate: func(_ context.Context, r, _ *review.Access) (status.FieldErrors, error) {
				errs := r.Spec.Check()
				if scope == rest.ScopeNamespaced {
					errs = append(errs, r.Spec.CheckNamespace(r.Namespace)...)
				}
				return errs, nil
			},
			Call: func(ctx context.Context, r *review.Access) (err error) {
				u := access.User{Name: r.Spec.User, UID: r.Spec.UID, Groups: r.Spec.Groups, Extra: r.Spec.Extra}
				r.Status, err = decide(ctx, u, &r.Spec.Question)
				return err
			},
		},
	}
}

// decide returns the status of an access review about a user.
func decide(ctx context.Context, u access.User, question *review.Question) (review.AccessStatus, error) {
	q := question.Asked()
	d, err := access.Authorize(ctx,
		access.Access{User: u, Verb: access.Verb(q.Verb), Group: q.Group, Version: q.Version, Resource: q.Resource,
			Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name, LabelSelector: q.LabelSelector,
			FieldSelector: q.FieldSelector, Path: q.Path})
	_, some := d.Only()
	allowed := some || d.Allowed()
	if allowed {
		err = nil
	}
	return review.AccessStatus{Allowed: allowed, Denied: d.Denied(), Reason: d.Reason()}, err
}
