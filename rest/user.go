package rest

import "context"

// User is the user of a request. The API authenticates nobody: the host's middleware finds out the user and puts it into the
// request's context with [WithUser]. A request without a user is anonymous. A call of an in-process client without a user is one
// of [Options.HostUser].
type User struct {
	Name   string
	UID    string
	Groups []string
	Extra  map[string][]string
}

// Kubernetes uses these names too, so rules that hosts write for it keep their meaning.
const (
	anonymousUser        = "system:anonymous"
	unauthenticatedGroup = "system:unauthenticated"
	authenticatedGroup   = "system:authenticated"
)

// defaultHostUser is the default of [Options.HostUser].
const defaultHostUser = "system:host"

type (
	userKey     struct{}
	hostUserKey struct{}
)

// WithUser returns a context that carries the user of a request or of a call.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// UserFrom returns the user of a context: of a hook's, or of a request's in a middleware. It is the user set with [WithUser],
// else [Options.HostUser] in calls of in-process clients, else system:anonymous.
func UserFrom(ctx context.Context) User {
	if u, ok := ctx.Value(userKey{}).(User); ok {
		return u
	}
	if u, ok := ctx.Value(hostUserKey{}).(User); ok {
		return u
	}
	return User{Name: anonymousUser, Groups: []string{unauthenticatedGroup}}
}
