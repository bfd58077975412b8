package rest

import (
	"context"
)

// userNameIn returns the name of the user that [WithUser] put into the context, or "". In-process clients write under this name
// by default. It does not fall back to Options.HostUser.
func userNameIn(ctx context.Context) string {
	u, _ := ctx.Value(userKey{}).(User)
	return u.Name
}
