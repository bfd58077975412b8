package aggregated

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/review"
)

// masters is the group whose members may do everything. kube-apiserver does not review their requests either: no role
// gives them their rights.
const masters = "system:masters"

// authorize implements [access.Authorizer].
func (c *Cluster) authorize(ctx context.Context, a access.Access) (access.Decision, error) {
	switch {
	case a.Resource == "" && isOpen(a.Path):
		return access.Allow("everybody may ask for the health of the server"), nil
	case c.trusted.Load() == nil:
		return access.Decision{}, unavailable("the server does not know yet whom the cluster trusts")
	case slices.Contains(a.User.Groups, masters):
		return access.Allow("a member of " + masters), nil
	}
	spec := review.About(a)
	text, err := codec.EncodeOwn(spec)
	if err != nil {
		return access.Decision{}, err
	}
	return c.reviews.accesses.get(ctx, sha256.Sum256(text), func(ctx context.Context) (answer[access.Decision], error) {
		return c.reviewAccess(ctx, spec)
	})
}

// reviewAccess asks the cluster.
func (c *Cluster) reviewAccess(ctx context.Context, spec review.AccessSpec) (answer[access.Decision], error) {
	got, err := c.clients.accesses.Create(ctx, &review.Access{Spec: spec})
	if err != nil {
		return answer[access.Decision]{}, err
	}
	bytes := int64(len(got.Status.Reason))
	switch {
	case got.Status.Denied:
		return answer[access.Decision]{access.Deny(got.Status.Reason), c.options.RefusedFor, bytes}, nil
	case got.Status.Allowed:
		return answer[access.Decision]{access.Allow(got.Status.Reason), c.options.AllowedFor, bytes}, nil
	}
	return answer[access.Decision]{access.NoOpinion(got.Status.Reason), c.options.RefusedFor, bytes}, nil
}

// probeToken is not a valid token. The program reviews it to find out whether it may create reviews.
const probeToken = "aggregated-api-server-probe"

// probeReviews returns why the program cannot ask the cluster for reviews.
func (c *Cluster) probeReviews(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	if _, err := c.clients.tokens.Create(ctx, &review.Token{Spec: review.TokenSpec{Token: probeToken}}); err != nil {
		return err
	}
	_, err := c.reviewAccess(ctx, review.About(access.Access{User: access.User{Name: identity.Anonymous}, Verb: "get",
		Path: "/healthz"}))
	return err
}
