package serviceaccount

import (
	"context"
	"errors"
	"net/http"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/review"
	"github.com/decorum-go/decorum/status"
)

// TokenReviews returns the kind TokenReview, through which a service that has received a token asks whose token it is.
// The client should name the audiences as which the service is known; by default, they are those of the API. The answer
// names those for which the token is valid.
//
// others recognizes the tokens that are not of service accounts, such as those of [auth.Tokens]. It may be nil. Such
// tokens are valid for the audiences of the API. The Authorizer should allow the creation of TokenReviews to these
// services only, because the answer tells whether a token is right.
func (i *Issuer) TokenReviews(others access.Authenticator) rest.Definition {
	return rest.Resource[review.Token]{
		Group: "authentication.k8s.io", Version: "v1", Plural: "tokenreviews", Names: rest.Names{Kind: "TokenReview"},
		Description: "Tells whose token a bearer token is.",
		Scope:       rest.ScopeCluster, Wire: rest.Wire{Dialect: rest.DialectBuiltin},
		Hooks: rest.Hooks[review.Token]{
			Call: func(ctx context.Context, r *review.Token) error {
				if r.Spec.Token == "" {
					return status.BadRequest("token is required for TokenReview in authentication")
				}
				who, audiences, err := i.review(ctx, r.Spec, others)
				if failure := (*status.Error)(nil); errors.As(err, &failure) {
					return failure // the store did not answer, so nothing is known about the token
				}
				if err != nil {
					r.Status = review.TokenStatus{Error: err.Error()}
					return nil
				}
				u := who.User
				r.Status = review.TokenStatus{Authenticated: true, Audiences: audiences,
					User: review.UserInfo{Username: u.Name, UID: u.UID, Groups: identity.WithSystemGroup(u.Name, u.Groups),
						Extra: u.Extra}}
				return nil
			},
		},
	}
}

// review returns the user of a token, and the audiences for which the token is valid among those that the client names.
func (i *Issuer) review(ctx context.Context, spec review.TokenSpec,
	others access.Authenticator) (*access.Identity, []string, error) {
	wanted := spec.Audiences
	if len(wanted) == 0 {
		wanted = i.audiences
	}
	who, audiences, err := i.check(ctx, spec.Token, wanted)
	if err == nil || others == nil {
		return who, audiences, err
	}
	audiences = shared(wanted, i.audiences)
	if len(audiences) == 0 {
		return nil, nil, err
	}
	r, requestErr := http.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	if requestErr != nil {
		return nil, nil, requestErr
	}
	r.Header.Set("Authorization", "Bearer "+spec.Token)
	who, othersErr := others.Authenticate(r)
	if othersErr == nil && who != nil {
		return who, audiences, nil
	}
	if _, undecided := errors.AsType[*status.Error](othersErr); undecided {
		return nil, nil, errors.Join(othersErr, err)
	}
	return nil, nil, err
}
