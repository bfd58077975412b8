package auth

import (
	"context"
	"net/http"

	"github.com/decorum-go/decorum/rest"
)

// First combines authenticators. The first one that recognizes the sender of a request decides. Invalid credentials are an error only if
// no authenticator recognizes the sender, so several authenticators can read the same header. If one of them could not decide, such as
// with 503 because the store does not answer, the request fails with that error and not with 401. New starts each authenticator that has a
// method Start.
func First(authenticators ...rest.Authenticator) rest.Authenticator {
	return combine(func(r *http.Request) (*rest.Identity, error) {
		var errs []error
		for _, a := range authenticators {
			who, err := a.Authenticate(r)
			if err == nil && who != nil {
				return who, nil
			}
			if err != nil {
				errs = append(errs, err)
			}
		}
		return nil, joined(errs)
	}, authenticators...)
}

// OrAnonymous makes requests without credentials requests of the user system:anonymous. Invalid credentials remain an error.
func OrAnonymous(a rest.Authenticator) rest.Authenticator {
	return combine(func(r *http.Request) (*rest.Identity, error) {
		who, err := a.Authenticate(r)
		if who == nil && err == nil {
			who = &rest.Identity{User: rest.UserFrom(context.Background())}
		}
		return who, err
	}, a)
}
