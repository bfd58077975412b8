package lifecycle

import (
	"context"
	"log/slog"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
)

// Options configure a controller. The zero value is the stated defaults.
type Options struct {
	// Workers is how many objects are worked on at a time. Default: 4.
	Workers int
	// Queue says how what failed is delayed, and by which clock: an object, or the start of a controller that missed changes.
	Queue controller.QueueOptions
	// Logger is told of failures. Default: errors go to what is slog's default logger when the controller starts.
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

// as is the context with the user of a controller, unless the host has given it one.
func as(ctx context.Context, controller string) context.Context {
	if rest.UserFrom(ctx).Name != rest.UserFrom(context.Background()).Name {
		return ctx
	}
	return rest.WithUser(ctx, rest.User{
		Name:   "system:serviceaccount:kube-system:" + controller,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
	})
}
