package lifecycle

import (
	"context"
	"log/slog"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/controller"
)

// Options configure a controller. The zero value selects the defaults.
type Options struct {
	// Workers is how many objects the controller works on at a time. Default: 4.
	Workers int
	// Queue sets the delays after failures, of single objects and of the whole controller after it has missed changes, and
	// the clock.
	Queue controller.QueueOptions
	// Logger logs failures. Default: the controller logs errors only, to what slog.Default returns when it starts.
	Logger *slog.Logger
}

const defaultWorkers = 4

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = defaultWorkers
	}
	o.Logger = errorlog.Or(o.Logger)
	return o
}

// as returns the context with the controller's user, unless the host has set a user.
func as(ctx context.Context, controller string) context.Context {
	if access.UserFrom(ctx).Name != access.UserFrom(context.Background()).Name {
		return ctx
	}
	return access.WithUser(ctx, access.User{
		Name:   "system:serviceaccount:kube-system:" + controller,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
	})
}
