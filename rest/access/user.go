package access

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/keys"
)

// User is the user of a request. The Authenticator of the API finds out the user. Without one, the host's middleware
// does, and puts the user into the request's context with [WithUser]; a request without a user is then anonymous. A call
// of an in-process client without a user is one of Options.HostUser.
type User struct {
	Name   string
	UID    string
	Groups []string
	Extra  map[string][]string
}

// WithUser returns a context that carries the user of a request or of a call.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, keys.User{}, u)
}

// ServiceAccountUser returns the user of a service account, without the uid of the account.
func ServiceAccountUser(namespace, name string) User {
	return User{Name: identity.ServiceAccountUser(namespace, name), Groups: identity.ServiceAccountGroups(namespace)}
}

// UserFrom returns the user of a context: of a hook's, or of a request's in a middleware. It is the user set with
// [WithUser], else Options.HostUser in calls of in-process clients, else system:anonymous.
func UserFrom(ctx context.Context) User {
	if u, ok := ctx.Value(keys.User{}).(User); ok {
		return u
	}
	if u, ok := ctx.Value(keys.HostUser{}).(User); ok {
		return u
	}
	return User{Name: identity.Anonymous, Groups: []string{identity.UnauthenticatedGroup}}
}
