package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
)

// Bearer returns an authenticator for bearer tokens (RFC 6750). It calls check with the token of the header
// Authorization. check returns nil, or an error, for a token that it does not accept.
func Bearer(check func(ctx context.Context, token string) (*access.Identity, error)) access.Authenticator {
	return access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
		token = strings.TrimSpace(token)
		if token == "" || !strings.EqualFold(scheme, "Bearer") {
			return nil, nil
		}
		who, err := check(r.Context(), token)
		if who == nil && err == nil {
			err = errUnknownToken
		}
		return who, err
	})
}

// errUnknownToken is the reason in the log why a token is refused.
var errUnknownToken = errors.New("unknown bearer token")

// Token is a bearer token that does not expire, and its user.
type Token struct {
	// Secret is the token. It should be random, with at least 16 bytes.
	Secret string
	User   access.User
}

// Tokens returns an authenticator for fixed bearer tokens. How long it takes does not depend on how much of a token is
// right. A Token without a Secret or a name of its user is never accepted.
func Tokens(tokens ...Token) access.Authenticator {
	type known struct {
		sum  [sha256.Size]byte
		user access.User
	}
	var all []known
	for _, t := range tokens {
		if t.Secret != "" && t.User.Name != "" {
			all = append(all, known{sha256.Sum256([]byte(t.Secret)), t.User})
		}
	}
	return Bearer(func(_ context.Context, token string) (*access.Identity, error) {
		sum := sha256.Sum256([]byte(token))
		found := -1
		for i := range all {
			if subtle.ConstantTimeCompare(sum[:], all[i].sum[:]) == 1 {
				found = i
			}
		}
		if found < 0 {
			return nil, nil
		}
		return &access.Identity{User: all[found].user}, nil
	})
}
