package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/decorum-go/decorum/rest"
)

// First combines authenticators. The sender of a request is whom the first of them finds that finds anybody. Invalid credentials are an
// error only if no authenticator finds the sender, so several authenticators can read the same header. New starts each authenticator that
// has a method Start.
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
		if len(errs) == 1 {
			return nil, errs[0] // may be an error of package status
		}
		return nil, errors.Join(errs...)
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
