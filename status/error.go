package status

import (
	"context"
	"errors"
	"net/http"
)

// Error is a failure with the [Status] a client gets for it. Treat an Error as
// immutable once it is returned; it may be shared.
type Error struct {
	Status Status
	cause  error
}

// Error returns the message of the Status.
func (e *Error) Error() string { return e.Status.Message }

// Unwrap returns the error behind this one, or nil. It is for the log: the Status
// does not show it.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an *Error of the same reason and code, whatever
// object it speaks of.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Status.Reason == e.Status.Reason && t.Status.Code == e.Status.Code
}

// WithCause returns a copy of e with err behind it.
func (e *Error) WithCause(err error) *Error {
	return &Error{Status: e.Status, cause: err}
}

// From returns the *Error in err, or makes one, and nil for nil. An *Error is
// returned unchanged and without what wraps it. A context that was cancelled or
// ran out of time is a [Timeout]; anything else is an internal error whose
// message says nothing of err, which stays behind it for the log.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return Timeout("request did not complete within the allotted timeout", 0).WithCause(err)
	}
	return failure(ReasonInternalError, "Internal error occurred: the request could not be completed", nil).WithCause(err)
}

// failure makes the Error of a reason.
func failure(reason Reason, message string, details *Details) *Error {
	e := Generic(reason.Code(), message)
	e.Status.Reason = reason
	e.Status.Details = details
	return e
}

// Generic returns an error that has a code but no reason.
func Generic(code int, message string) *Error {
	e := &Error{Status: newStatus(Failure)}
	e.Status.Message = message
	e.Status.Code = int32(code)
	return e
}

// ReasonOf returns the reason of the *Error in err, [ReasonUnknown] if there is
// none.
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status.Reason
	}
	return ReasonUnknown
}

// CodeOf returns the HTTP code for err: 200 for nil, that of the *Error in err,
// or of what [From] would make of it. An *Error with a code that is no failure, as
// one built by hand may have, counts by its reason; so the result always fits
// [http.ResponseWriter].
func CodeOf(err error) int {
	if err == nil {
		return http.StatusOK
	}
	s := &From(err).Status
	if s.Code < 400 || s.Code > 599 {
		return s.Reason.Code()
	}
	return int(s.Code)
}
