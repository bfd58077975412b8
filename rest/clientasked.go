package rest

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// FieldValidation says what a write does about unknown fields and duplicate keys (API concepts, Validation for unrecognized or
// duplicate fields).
type FieldValidation string

// The levels of validation: drop such fields silently, drop them with a warning, or refuse the write. The default is
// ValidationWarn.
const (
	ValidationIgnore FieldValidation = FieldValidation(resource.ValidationIgnore)
	ValidationWarn   FieldValidation = FieldValidation(resource.ValidationWarn)
	ValidationStrict FieldValidation = FieldValidation(resource.ValidationStrict)
)

// DryRun returns a client whose writes are dry runs: a write takes every step, returns the object as it would be stored, and
// stores nothing (API concepts, Dry-run).
func (c Client[T]) DryRun() Client[T] {
	c.asked.DryRun = true
	return c
}

// Validation returns a client that treats unknown fields in patches and applied configurations as v says. With ValidationStrict
// such a field is an error, with ValidationWarn a warning (see [WithWarnings]).
func (c Client[T]) Validation(v FieldValidation) Client[T] {
	c.asked.Validation = resource.FieldValidation(v)
	return c
}

// DeleteCollection deletes each object that the options select, one after the other, and returns the objects as they were. If a
// deletion fails, DeleteCollection stops and returns the error; objects that it has already deleted stay deleted. Limit bounds
// the number of objects, and Continue resumes after an earlier call.
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
	asked := &ctx.(*call).asked
	asked.LabelSelector, asked.FieldSelector = selected.LabelSelector, selected.FieldSelector
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

// deleteOptions returns the options as the body of a DELETE over HTTP.
func (c Client[T]) deleteOptions(options DeleteOptions) (apimeta.DeleteOptions, error) {
	o := apimeta.DeleteOptions{Preconditions: options.Preconditions, GracePeriodSeconds: options.GracePeriodSeconds}
	if options.PropagationPolicy != "" {
		o.PropagationPolicy = &options.PropagationPolicy
	}
	return o, resource.ValidateDeleteOptions(o)
}

// ClientFrom returns the client of the resource whose objects are T, for use in a hook. ctx is the context that the hook
// received. With any other context, every call of the client returns an error.
func ClientFrom[T any](ctx context.Context) Client[T] {
	if env := resource.EnvironmentOf(ctx); env != nil {
		return ClientFor[T](env.Owner.(*API))
	}
	return Client[T]{err: status.InternalError(errors.New("rest.ClientFrom: the context is not that of a hook"))}
}
