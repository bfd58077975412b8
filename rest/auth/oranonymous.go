package auth

import (
	"context"
	"net/http"

	"github.com/decorum-go/decorum/rest"
)

// OrAnonymous makes requests without credentials requests of the user system:anonymous. Invalid credentials remain an
// error.
func OrAnonymous(a rest.Authenticator) rest.Authenticator {
	return rest.AuthenticatorFunc(func(r *http.Request) (*rest.Identity, error) {
		who, err := a.Authenticate(r)
		if who == nil && err == nil {
			who = &rest.Identity{User: rest.UserFrom(context.Background())}
		}
		return who, err
	})
}
