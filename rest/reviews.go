package rest

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/review"
	"github.com/decorum-go/decorum/status"
)

// selfReviews returns the kinds through which a client asks who it is and what it may do. Many clients ask before they
// do anything else.
func selfReviews() []Definition {
	return []Definition{
		Resource[review.Self]{
			Group: "authentication.k8s.io", Version: "v1", Plural: "selfsubjectreviews", Names: Names{Kind: "SelfSubjectReview"},
			Description: "Tells the client as which user the server sees it.",
			Scope:       ScopeCluster, Wire: Wire{Dialect: DialectBuiltin},
			Hooks: Hooks[review.Self]{
				Call: func(ctx context.Context, r *review.Self) error {
					u := access.UserFrom(ctx)
					r.Status.UserInfo = review.UserInfo{Username: u.Name, UID: u.UID, Groups: u.Groups, Extra: u.Extra}
					return nil
				},
			},
		},
		Resource[review.SelfAccess]{
			Group: "authorization.k8s.io", Version: "v1", Plural: "selfsubjectaccessreviews",
			Names:       Names{Kind: "SelfSubjectAccessReview"},
			Description: "Tells the client whether it may take an action.",
			Scope:       ScopeCluster, Wire: Wire{Dialect: DialectBuiltin},
			Hooks: Hooks[review.SelfAccess]{
				Validate: func(_ context.Context, r, _ *review.SelfAccess) status.FieldErrors { return r.Spec.Check() },
				Call: func(ctx context.Context, r *review.SelfAccess) (err error) {
					r.Status, err = mayI(ctx, r.Spec.Asked())
					return err
				},
			},
		},
		Resource[review.Rules]{
			Group: "authorization.k8s.io", Version: "v1", Plural: "selfsubjectrulesreviews",
			Names:       Names{Kind: "SelfSubjectRulesReview"},
			Description: "Lists what the client may do in a namespace.",
			Scope:       ScopeCluster, Wire: Wire{Dialect: DialectBuiltin},
			Hooks: Hooks[review.Rules]{
				Call: func(ctx context.Context, r *review.Rules) (err error) {
					r.Status, err = myRules(ctx, r.Spec.Namespace)
					return err
				},
			},
		},
	}
}

// selfReviewsBeside builds those of selfReviews that the host does not declare itself.
func (a *API) selfReviewsBeside(declared []*front.Served) (reviews []*front.Served, err error) {
	for _, d := range selfReviews() {
		res, err := a.build(d)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(declared, func(other *front.Served) bool { return other.GR == res.GR }) {
			reviews = append(reviews, res)
		}
	}
	return reviews, nil
}

// noRules explains to the client why the list of rules is incomplete.
const noRules = "the server decides about each access by itself and keeps no list of rules"

// everyVerb are the verbs of all requests. Without an Authorizer, a client may use them, but may not impersonate.
var everyVerb = slices.Sorted(slices.Values(kind.VerbNames()))

// mayI returns the status of an access review about the client.
func mayI(ctx context.Context, q access.Access) (review.AccessStatus, error) {
	q.User = access.UserFrom(ctx)
	d, err := access.Authorize(ctx, q)
	_, some := d.Only()
	allowed := some || d.Allowed()
	if allowed {
		err = nil
	}
	return review.AccessStatus{Allowed: allowed, Denied: d.Denied(), Reason: d.Reason()}, err
}

// myRules returns the status of a SelfSubjectRulesReview.
func myRules(ctx context.Context, namespace string) (review.RulesStatus, error) {
	out := review.RulesStatus{ResourceRules: []review.ResourceRule{}, NonResourceRules: []review.NonResourceRule{}}
	authorizer, ok := access.AuthorizerFrom(ctx)
	if !ok {
		all := []string{"*"}
		out.ResourceRules = append(out.ResourceRules, review.ResourceRule{Verbs: everyVerb, APIGroups: all, Resources: all})
		out.NonResourceRules = append(out.NonResourceRules, review.NonResourceRule{Verbs: all, NonResourceURLs: all})
		return out, nil
	}
	lister, ok := authorizer.(access.RuleLister)
	if !ok {
		out.Incomplete, out.EvaluationError = true, noRules
		return out, nil
	}
	if namespace == "" {
		return out, status.BadRequest("no namespace on request")
	}
	rules, err := lister.RulesFor(ctx, access.UserFrom(ctx), namespace)
	if err != nil {
		return out, err
	}
	for _, r := range rules.Resources {
		out.ResourceRules = append(out.ResourceRules,
			review.ResourceRule{Verbs: texts(r.Verbs), APIGroups: r.Groups, Resources: r.Resources, ResourceNames: r.Names})
	}
	for _, r := range rules.Paths {
		out.NonResourceRules = append(out.NonResourceRules,
			review.NonResourceRule{Verbs: texts(r.Verbs), NonResourceURLs: r.Paths})
	}
	out.Incomplete = rules.Incomplete
	return out, nil
}

// texts returns verbs as a review shows them.
func texts(verbs []access.Verb) []string {
	out := make([]string, len(verbs))
	for i, v := range verbs {
		out[i] = string(v)
	}
	return out
}
