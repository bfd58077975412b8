package serviceaccount

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/jwt"
)

// maxSkew is by how much the clock of the replica that issued a token may be ahead.
const maxSkew = time.Minute

// Authenticate implements [access.Authenticator]. It accepts a bearer token that the Issuer has signed, for an audience
// of the API, if the token has not expired and its account and the object to which it is bound still exist. It fails
// until the Issuer is plugged into an API.
func (i *Issuer) Authenticate(r *http.Request) (*access.Identity, error) {
	return auth.Bearer(func(ctx context.Context, token string) (*access.Identity, error) {
		who, _, err := i.check(ctx, token, i.audiences)
		return who, err
	}).Authenticate(r)
}

// The reasons in the log why a token is refused.
var (
	errForeign  = errors.New("the token is of another issuer")
	errExpired  = errors.New("the token has expired")
	errEarly    = errors.New("the token is not valid yet")
	errAudience = errors.New("the token is for another audience")
	errSubject  = errors.New("the token contradicts itself about its service account")
)

// check returns the service account of a token, and the audiences of the token among those wanted. It returns an error
// if there are none.
func (i *Issuer) check(ctx context.Context, token string, wanted []string) (*access.Identity, []string, error) {
	if i.objects == nil {
		return nil, nil, errNotStarted
	}
	var c claims
	if err := jwt.Verify(token, *i.keys.Load(), &c); err != nil {
		return nil, nil, err
	}
	now, audiences := i.objects.Now(), shared(wanted, c.Audiences)
	switch {
	case c.Issuer != i.issuer:
		return nil, nil, errForeign
	case !now.Before(c.expires()):
		return nil, nil, errExpired
	case now.Add(maxSkew).Before(time.Unix(c.NotBefore, 0)):
		return nil, nil, errEarly
	case len(audiences) == 0:
		return nil, nil, errAudience
	case c.Subject != identity.ServiceAccountUser(c.Account.Namespace, c.Account.Account.Name) ||
		c.Account.Account.UID == "":
		return nil, nil, errSubject
	}
	for _, object := range c.Account.dependsOn() {
		if _, err := i.left(ctx, object); err != nil {
			return nil, nil, err
		}
	}
	return &access.Identity{User: c.user(), Expires: c.expires(), OnRevoked: i.onRevoked(token, &c.Account)}, audiences, nil
}
