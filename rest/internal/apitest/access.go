package apitest

import (
	"errors"
	"net/http"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// UserFromHeader is an Authenticator that believes the header Test-User.
var UserFromHeader = access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
	switch name := r.Header.Get("Test-User"); name {
	case "":
		return nil, nil
	case "mallory":
		return nil, errors.New("the password of mallory is 12346")
	case "late":
		return nil, status.ServiceUnavailable("the directory is down")
	default:
		return &access.Identity{User: access.User{Name: name}, Headers: []string{"Test-User"}}, nil
	}
})
