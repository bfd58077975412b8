package rest

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// FieldValidation says what a write does about unknown fields and duplicate keys (API concepts, Validation for unrecognized or
// duplicate fields).
type FieldValidation string

// The levels of validation: drop such fields silently, drop them with a warning, or refuse the write. The default is
// ValidationWarn.
const (
	ValidationIgnore FieldValidation = FieldValidation(write.ValidationIgnore)
	ValidationWarn   FieldValidation = FieldValidation(write.ValidationWarn)
	ValidationStrict FieldValidation = FieldValidation(write.ValidationStrict)
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
	c.asked.Validation = write.FieldValidation(v)
	return c
}

// ClientFrom returns the client of the resource whose objects are T, for use in a hook. ctx is the context that the hook
// received. With any other context, every call of the client returns an error.
func ClientFrom[T any](ctx context.Context) Client[T] {
	if env := write.EnvironmentOf(ctx); env != nil {
		return ClientFor[T](env.Owner.(*API))
	}
	return Client[T]{err: status.InternalError(errors.New("rest.ClientFrom: the context is not that of a hook"))}
}
