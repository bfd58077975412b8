package rest

import "github.com/decorum-go/decorum/apimeta"

// DryRun returns a client whose writes are dry runs: a write takes every step, returns the object as it would be
// stored, and stores nothing (API concepts, Dry-run).
func (c Client[T]) DryRun() Client[T] {
	c.client = c.copied()
	c.asked.DryRun = true
	return c
}

// Validation returns a client that treats unknown fields in patches and applied configurations as v says. With
// [apimeta.FieldValidationStrict] such a field is an error, with [apimeta.FieldValidationWarn] a warning (see
// [WithWarnings]).
func (c Client[T]) Validation(v apimeta.FieldValidation) Client[T] {
	c.client = c.copied()
	c.asked.Validation = v
	return c
}
