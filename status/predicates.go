package status

import "errors"

// has reports whether err holds an *Error of the reason. An *Error without a
// reason counts if only this reason has its code: proxies, and servers that know
// codes alone, send such answers.
func has(err error, reason Reason) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	if e.Status.Reason != ReasonUnknown {
		return e.Status.Reason == reason
	}
	switch reason {
	case ReasonAlreadyExists, ReasonExpired, ReasonServerTimeout, ReasonStoreReadError:
		return false
	}
	return int(e.Status.Code) == reason.Code()
}

// IsBadRequest reports whether err holds a [BadRequest].
func IsBadRequest(err error) bool { return has(err, ReasonBadRequest) }

// IsUnauthorized reports whether err holds an [Unauthorized].
func IsUnauthorized(err error) bool { return has(err, ReasonUnauthorized) }

// IsForbidden reports whether err holds a [Forbidden].
func IsForbidden(err error) bool { return has(err, ReasonForbidden) }

// IsNotFound reports whether err holds a [NotFound] or [ResourceNotFound].
func IsNotFound(err error) bool { return has(err, ReasonNotFound) }

// IsMethodNotAllowed reports whether err holds a [MethodNotAllowed] or
// [MethodNotSupported].
func IsMethodNotAllowed(err error) bool { return has(err, ReasonMethodNotAllowed) }

// IsNotAcceptable reports whether err holds a [NotAcceptable].
func IsNotAcceptable(err error) bool { return has(err, ReasonNotAcceptable) }

// IsAlreadyExists reports whether err holds an [AlreadyExists] or
// [GenerateNameConflict].
func IsAlreadyExists(err error) bool { return has(err, ReasonAlreadyExists) }

// IsConflict reports whether err holds a [Conflict], [ModifiedConflict] or
// [ApplyConflict].
func IsConflict(err error) bool { return has(err, ReasonConflict) }

// IsGone reports whether err holds a [Gone]. An [Expired] error has the same code
// but is not Gone.
func IsGone(err error) bool { return has(err, ReasonGone) }

// IsExpired reports whether err holds an [Expired] or [ResourceExpiredContinue].
func IsExpired(err error) bool { return has(err, ReasonExpired) }

// IsRequestEntityTooLarge reports whether err holds a [RequestEntityTooLarge].
func IsRequestEntityTooLarge(err error) bool { return has(err, ReasonRequestEntityTooLarge) }

// IsUnsupportedMediaType reports whether err holds an [UnsupportedMediaType].
func IsUnsupportedMediaType(err error) bool { return has(err, ReasonUnsupportedMediaType) }

// IsInvalid reports whether err holds an [Invalid] or [Unprocessable].
func IsInvalid(err error) bool { return has(err, ReasonInvalid) }

// IsTooManyRequests reports whether err holds a [TooManyRequests].
func IsTooManyRequests(err error) bool { return has(err, ReasonTooManyRequests) }

// IsInternalError reports whether err holds an [InternalError], or what [From]
// returns for an error that is not an *Error.
func IsInternalError(err error) bool { return has(err, ReasonInternalError) }

// IsServerTimeout reports whether err holds a [ServerTimeout].
func IsServerTimeout(err error) bool { return has(err, ReasonServerTimeout) }

// IsStoreReadError reports whether err comes from a server that cannot read stored data ([ReasonStoreReadError]). An
// API of package rest never returns this reason.
func IsStoreReadError(err error) bool { return has(err, ReasonStoreReadError) }

// IsServiceUnavailable reports whether err holds a [ServiceUnavailable].
func IsServiceUnavailable(err error) bool { return has(err, ReasonServiceUnavailable) }

// IsTimeout reports whether err holds a [Timeout] or [TooLargeResourceVersion].
func IsTimeout(err error) bool { return has(err, ReasonTimeout) }

// IsTooLargeResourceVersion reports whether err holds a
// [TooLargeResourceVersion].
func IsTooLargeResourceVersion(err error) bool {
	return IsTimeout(err) && HasCause(err, CauseResourceVersionTooLarge)
}

// HasCause reports whether err holds an *Error with a cause of that type.
func HasCause(err error, cause CauseType) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Status.Details == nil {
		return false
	}
	for _, c := range e.Status.Details.Causes {
		if c.Type == cause {
			return true
		}
	}
	return false
}

// ContinueOf returns the token of an expired list, with which the client reads
// the rest of the list in its present state (API concepts, Retrieving large
// results sets in chunks). It returns "" for every other error.
func ContinueOf(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) && e.Status.Reason == ReasonExpired {
		return e.Status.Continue
	}
	return ""
}
