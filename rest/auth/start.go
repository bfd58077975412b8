package auth

import (
	"net/http"

	"github.com/decorum-go/decorum/rest"
)

// start starts the parts that need their API, see [rest.Authenticator] and [rest.Authorizer].
func start[P any](api *rest.API, parts ...P) error {
	for _, part := range parts {
		if s, ok := any(part).(interface{ Start(*rest.API) error }); ok {
			if err := s.Start(api); err != nil {
				return err
			}
		}
	}
	return nil
}

// combined is an authenticator that asks others.
type combined struct {
	rest.AuthenticatorFunc
	of []rest.Authenticator
}

// combine returns an authenticator that asks others.
func combine(authenticate func(*http.Request) (*rest.Identity, error), of ...rest.Authenticator) rest.Authenticator {
	return combined{authenticate, of}
}

// Start starts the authenticators.
func (c combined) Start(api *rest.API) error { return start(api, c.of...) }
