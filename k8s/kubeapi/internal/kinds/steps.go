package kinds

import (
	"context"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// preparing returns the resource with a further step of Prepare, which runs after those that the resource has already.
func preparing[T any](r rest.Resource[T], step func(ctx context.Context, obj, old *T) error) rest.Resource[T] {
	before := r.Hooks.Prepare
	r.Hooks.Prepare = func(ctx context.Context, obj, old *T) error {
		if before != nil {
			if err := before(ctx, obj, old); err != nil {
				return err
			}
		}
		return step(ctx, obj, old)
	}
	return r
}

// validating returns the resource with a further check of Validate.
func validating[T any](r rest.Resource[T],
	check func(ctx context.Context, obj, old *T) status.FieldErrors) rest.Resource[T] {
	before := r.Hooks.Validate
	r.Hooks.Validate = func(ctx context.Context, obj, old *T) (errs status.FieldErrors, err error) {
		if before != nil {
			if errs, err = before(ctx, obj, old); err != nil {
				return nil, err
			}
		}
		return append(errs, check(ctx, obj, old)...), nil
	}
	return r
}

// part returns the subresource through which a write changes an object: "" for the object itself, "status", or one of
// the kind's own.
func part(ctx context.Context) string { return access.AccessFrom(ctx).Subresource }
