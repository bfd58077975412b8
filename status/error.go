package status

import (
	"context"
	"errors"
	"net/http"
)

// Error is a failure with the [Status] that a client receives for it. An Error may
// be shared: treat it as immutable once it is returned.
type Error struct {
	Status Status
	cause  error
}

// Error returns the message of the Status, without the cause.
func (e *Error) Error() string { return e.Status.Message }

// Unwrap returns the cause, or nil. The cause is for the log; the Status does not
// show it.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an *Error of the same reason and code. The objects
// that the two errors name do not matter.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Status.Reason == e.Status.Reason && t.Status.Code == e.Status.Code
}

// WithCause returns a copy of e whose cause is err.
func (e *Error) WithCause(err error) *Error {
	return &Error{Status: e.Status, cause: err}
}

// From returns the *Error that err is or wraps, without the wrapping errors. It returns nil for nil. If the host built
// the *Error itself and left the Kind empty, From fills in the fields that the constructors set. From turns an error of
// a cancelled or expired context into a [Timeout], and any other error into an internal error that does not show the
// text of err. In both cases err becomes the cause, for the log.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.complete()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return Timeout("request did not complete within the allotted timeout", 0).WithCause(err)
	}
	return failure(ReasonInternalError, "Internal error occurred: the request could not be completed", nil).WithCause(err)
}

// complete returns e or, if e has no Kind, a copy with the fields that the constructors set. Clients recognize a Status
// by its Kind.
func (e *Error) complete() *Error {
	if e.Status.Kind != "" {
		return e
	}
	c := &Error{Status: newStatus(Failure), cause: e.cause}
	c.Status.ListMeta, c.Status.Message, c.Status.Reason, c.Status.Details = e.Status.ListMeta, e.Status.Message,
		e.Status.Reason, e.Status.Details
	c.Status.Code = int32(e.code())
	return c
}

// code returns the code of e. If that code is not between 400 and 599, it returns the code of the reason.
func (e *Error) code() int {
	if e.Status.Code < 400 || e.Status.Code > 599 {
		return e.Status.Reason.Code()
	}
	return int(e.Status.Code)
}

// failure returns the Error for a reason.
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

// ReasonOf returns the reason of the *Error in err, or [ReasonUnknown] if err
// holds no *Error.
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status.Reason
	}
	return ReasonUnknown
}

// CodeOf returns the HTTP code for err: 200 for nil, otherwise the code of the
// *Error that [From] returns. If that code is not between 400 and 599, as in an
// *Error built by hand, CodeOf returns the code of its reason, so
// [http.ResponseWriter] always accepts the result.
func CodeOf(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return From(err).code()
}
