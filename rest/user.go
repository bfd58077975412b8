package rest

import "context"

// User is who a request comes from, as the host has found out: by its own middleware, which puts the user into the
// request's context with [WithUser]. A request without a user is anonymous. A call of an in-process client without a user
// comes from [Options.HostUser].
type User struct {
	Name   string
	UID    string
	Groups []string
	Extra  map[string][]string
}

// Names for requests of nobody known, as Kubernetes has them.
const (
	anonymousUser        = "system:anonymous"
	unauthenticatedGroup = "system:unauthenticated"
	authenticatedGroup   = "system:authenticated"
)

// defaultHostUser is who calls in process where the host names nobody.
const defaultHostUser = "system:host"

type (
	userKey     struct{}
	hostUserKey struct{}
)

// WithUser returns a context that carries the user.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// UserFrom returns the user of a context that the API hands to a hook, or of a request's context in a middleware: the one
// given by [WithUser], else [Options.HostUser] for calls of in-process clients, else system:anonymous.
func UserFrom(ctx context.Context) User {
	if u, ok := ctx.Value(userKey{}).(User); ok {
		return u
	}
	if u, ok := ctx.Value(hostUserKey{}).(User); ok {
		return u
	}
	return User{Name: anonymousUser, Groups: []string{unauthenticatedGroup}}
}
