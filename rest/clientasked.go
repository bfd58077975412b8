package rest

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// FieldValidation says what a write does about fields that the kind does not have, and about keys that stand twice (API concepts,
// Validation for unrecognized or duplicate fields).
type FieldValidation string

// The default is ValidationWarn.
const (
	ValidationIgnore FieldValidation = FieldValidation(resource.ValidationIgnore)
	ValidationWarn   FieldValidation = FieldValidation(resource.ValidationWarn)
	ValidationStrict FieldValidation = FieldValidation(resource.ValidationStrict)
)

// DryRun returns the client whose writes are dry runs: they take every step, return the object as it would be, and store nothing
// (API concepts, Dry-run).
func (c Client[T]) DryRun() Client[T] {
	c.asked.DryRun = true
	return c
}

// Validation returns the client whose patches and configurations are checked in this way for fields that the kind does not have.
// With ValidationStrict such a field is an error, with ValidationWarn a warning (see [WithWarnings]).
func (c Client[T]) Validation(v FieldValidation) Client[T] {
	c.asked.Validation = resource.FieldValidation(v)
	return c
}

// DeleteCollection deletes each object that the options select, and returns the objects as they were. An error ends it; the
// objects that were deleted before the error stay deleted. Limit bounds how many objects are deleted, and Continue goes on after an
// earlier call.
func (c Client[T]) DeleteCollection(ctx context.Context, options DeleteOptions, selected ListOptions) (*Page[T], error) {
	ctx, done, err := c.begin(ctx, DeleteCollection)
	if err != nil {
		return nil, err
	}
	defer done()
	o, err := c.deleteOptions(options)
	if err != nil {
		return nil, err
	}
	p, err := c.listParameters(selected)
	if err != nil {
		return nil, err
	}
	w, err := c.newWrite(ctx, "", "")
	if err != nil {
		return nil, err
	}
	defer c.tell(ctx, w)
	deleted, err := c.res.DeleteAll(ctx, c.namespace, p, o, func(t resource.Target) *resource.Write {
		one := c.res.NewWrite(t, w.Asked)
		one.Warnings = w.Warnings
		return one
	})
	if err != nil {
		return nil, err
	}
	return c.page(deleted)
}

// deleteOptions are the options as a request has them.
func (c Client[T]) deleteOptions(options DeleteOptions) (apimeta.DeleteOptions, error) {
	o := apimeta.DeleteOptions{Preconditions: options.Preconditions, GracePeriodSeconds: options.GracePeriodSeconds}
	if options.PropagationPolicy != "" {
		o.PropagationPolicy = &options.PropagationPolicy
	}
	return o, resource.ValidateDeleteOptions(o)
}

// ClientFrom returns the client of the resource whose objects are T, for a hook: ctx is the context that the hook got. In another
// context every call of the client returns an error.
func ClientFrom[T any](ctx context.Context) Client[T] {
	if env := resource.EnvironmentOf(ctx); env != nil {
		return ClientFor[T](env.Owner.(*API))
	}
	return Client[T]{err: status.InternalError(errors.New("rest.ClientFrom: the context is not that of a hook"))}
}
