package rest

import "github.com/decorum-go/decorum/rest/internal/write"

// FieldValidation says what a write does about unknown fields and duplicate keys (API concepts, Validation for
// unrecognized or duplicate fields).
type FieldValidation string

// The levels of validation: drop such fields silently, drop them with a warning, or refuse the write. The default is
// ValidationWarn.
const (
	ValidationIgnore FieldValidation = FieldValidation(write.ValidationIgnore)
	ValidationWarn   FieldValidation = FieldValidation(write.ValidationWarn)
	ValidationStrict FieldValidation = FieldValidation(write.ValidationStrict)
)

// DryRun returns a client whose writes are dry runs: a write takes every step, returns the object as it would be
// stored, and stores nothing (API concepts, Dry-run).
func (c Client[T]) DryRun() Client[T] {
	c.client = c.copied()
	c.asked.DryRun = true
	return c
}

// Validation returns a client that treats unknown fields in patches and applied configurations as v says. With
// ValidationStrict such a field is an error, with ValidationWarn a warning (see [WithWarnings]).
func (c Client[T]) Validation(v FieldValidation) Client[T] {
	c.client = c.copied()
	c.asked.Validation = write.FieldValidation(v)
	return c
}
