package rest

import (
	"context"
)

// userNameIn is the name of the user whom the host has put into the context, if any.
func userNameIn(ctx context.Context) string {
	u, _ := ctx.Value(userKey{}).(User)
	return u.Name
}
