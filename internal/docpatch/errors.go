package docpatch

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/status"
)

// The causes of an [OperationError], for errors.Is.
var (
	// ErrTestFailed means that a test operation found a different value.
	ErrTestFailed = errors.New("the value differs")
	// ErrMissing means that a path leads to no value, or through a value that is neither a list nor a map.
	ErrMissing = errors.New("there is no such place")
	// ErrIndex means that an index is out of range or not a number.
	ErrIndex = errors.New("the list has no such index")
	// ErrMalformed means that the operation is unknown or lacks a path, or that a path is not a JSON pointer.
	ErrMalformed = errors.New("the operation is malformed")
	// ErrTooLarge means that the copied values exceed 3 MiB of JSON in total, or that the result is nested too deeply.
	ErrTooLarge = errors.New("the result is too large")
)

// ErrNotJSON is the cause of the error for a patch that is not JSON.
var ErrNotJSON = errors.New("the patch is not JSON")

// errWhole means that an operation other than test and replace names the whole document, or that a value other than a
// map or a list would replace it.
var errWhole = fmt.Errorf("%w: the path names the whole document", ErrMissing)

// OperationError says which operation of a JSON patch could not be applied. errors.As finds it in the error of
// [JSONPatch.Apply].
type OperationError struct {
	Index int    // position in the patch, from 0
	Op    string // the operation that the patch names
	Path  string // the path that the patch uses
	Cause error  // one of the errors above
}

func (e *OperationError) Error() string {
	return fmt.Sprintf("operation %d, %s %q: %v", e.Index, e.Op, e.Path, e.Cause)
}

// Unwrap returns the cause.
func (e *OperationError) Unwrap() error { return e.Cause }

// wrongShape returns upstream's text for a value that does not fit a Go type.
func wrongShape(v doc.Value, goType string) string {
	return undecodablePatch + words.NotOfType(v.JSONName(), goType)
}

const undecodablePatch = "error decoding patch: "

// refused returns the answer to a patch that could not be applied. As upstream, it does not say why.
func refused(cause error) error { return status.Unprocessable().WithCause(cause) }

// undecodable returns the answer to a patch that is not JSON. As upstream, it does not say why, except for a patch that
// is JSON but not UTF-8, which upstream accepts.
func undecodable(cause error) error {
	message := "invalid JSON patch"
	if fault := (*codec.SyntaxError)(nil); errors.As(cause, &fault) && fault.Encoding {
		message += ": " + cause.Error()
	}
	return status.BadRequest(message).WithCause(fmt.Errorf("%w: %w", ErrNotJSON, cause))
}

// duplicateFields returns the warnings about the duplicate members of a patch.
func duplicateFields(paths []string) (warnings []string) {
	for _, path := range paths {
		warnings = append(warnings, "duplicate field "+strconv.Quote(path))
	}
	return warnings
}
