package auth

import (
	"context"
	"net/http"

	"github.com/decorum-go/decorum/rest/access"
)

// OrAnonymous makes requests without credentials requests of the user system:anonymous. Invalid credentials remain an
// error.
func OrAnonymous(a access.Authenticator) access.Authenticator {
	return access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		who, err := a.Authenticate(r)
		if who == nil && err == nil {
			who = &access.Identity{User: access.UserFrom(context.Background())}
		}
		return who, err
	})
}
