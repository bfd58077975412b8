package patch

import (
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/status"
)

// The causes of an [OperationError], for errors.Is.
var (
	// ErrTestFailed means that a test operation found a different value.
	ErrTestFailed = docpatch.ErrTestFailed
	// ErrMissing means that a path leads to no value, or through a value that is neither a list nor a map.
	ErrMissing = docpatch.ErrMissing
	// ErrIndex means that an index is out of range or not a number.
	ErrIndex = docpatch.ErrIndex
	// ErrMalformed means that the operation is unknown or lacks a path, or that a path is not a JSON pointer.
	ErrMalformed = docpatch.ErrMalformed
	// ErrTooLarge means that the copied values exceed 3 MiB of JSON in total, or that the result is nested too deeply.
	ErrTooLarge = docpatch.ErrTooLarge
)

// OperationError says which operation of a JSON patch could not be applied. errors.As finds it in the error of
// [JSONPatch.Apply].
type OperationError struct {
	Index int    // position in the patch, from 0
	Op    string // the operation that the patch names
	Path  string // the path that the patch uses
	cause error
}

// Error says which operation failed, and why.
func (e *OperationError) Error() string {
	return fmt.Sprintf("operation %d, %s %q: %v", e.Index, e.Op, e.Path, e.cause)
}

// Unwrap returns the cause, one of this package's errors.
func (e *OperationError) Unwrap() error { return e.cause }

// withOperation puts the exported type of error in place of the internal one.
func withOperation(err error) error {
	failed, ok := errors.AsType[*docpatch.OperationError](err)
	if !ok {
		return err
	}
	return status.Unprocessable().WithCause(&OperationError{Index: failed.Index, Op: failed.Op, Path: failed.Path,
		cause: failed.Cause})
}
