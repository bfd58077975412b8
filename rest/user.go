package rest

import "context"

// User is who a request comes from, as the host has found out: by its own middleware, which puts the user into the
// request's context with [WithUser]. A request without one is anonymous.
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
)

type userKey struct{}

// WithUser returns a context that carries the user.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// UserFrom returns the user of a request's context: system:anonymous where there is none.
func UserFrom(ctx context.Context) User {
	if u, ok := ctx.Value(userKey{}).(User); ok {
		return u
	}
	return User{Name: anonymousUser, Groups: []string{unauthenticatedGroup}}
}
