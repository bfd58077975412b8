package patch

import (
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// The causes of an [OperationError], for errors.Is.
var (
	// ErrTestFailed: the value at the place of a test operation is another one.
	ErrTestFailed = errors.New("the value is another one")
	// ErrMissing: there is nothing at a path, or it leads through something that is no list or map.
	ErrMissing = errors.New("there is no such place")
	// ErrIndex: a list has no such index, or it is no number.
	ErrIndex = errors.New("the list has no such index")
	// ErrMalformed: the operation is not one of the six, or lacks a path, or a path is no JSON pointer.
	ErrMalformed = errors.New("the operation is malformed")
	// ErrTooLarge: the values copied add up to more than 3 MiB of JSON, or the result is nested too deeply.
	ErrTooLarge = errors.New("the result is too large")
)

// errWhole: operations other than test and replace have no place that is the whole document, and nothing but a map or a
// list can take its place.
var errWhole = fmt.Errorf("%w: it is the whole document", ErrMissing)

// OperationError says which operation of a JSON patch could not be applied. It is found with errors.As in the error of
// [JSONPatch.Apply].
type OperationError struct {
	Index int    // position in the patch, from 0
	Op    string // as the patch names it
	Path  string // as the patch names it
	cause error
}

func (e *OperationError) Error() string {
	return fmt.Sprintf("operation %d, %s %q: %v", e.Index, e.Op, e.Path, e.cause)
}

// Unwrap returns the cause, one of this package's errors.
func (e *OperationError) Unwrap() error { return e.cause }

// wrongShape is the text with which upstream refuses a value where its Go type has no place for it.
func wrongShape(v doc.Value, place string) string {
	return "error decoding patch: json: cannot unmarshal " + v.JSONName() + " into " + place
}

// refused is the answer to a patch that could not be applied: upstream does not say why.
func refused(cause error) error { return status.Unprocessable().WithCause(cause) }

// undecodable is the answer to a patch that is no JSON text.
func undecodable(cause error) error {
	return status.BadRequest("error decoding patch: " + cause.Error()).WithCause(cause)
}
