package status

import "net/http"

// Reason says why a request failed, for programs. The set is closed.
type Reason string

// The reasons, each with the HTTP code that [Reason.Code] returns for it.
const (
	// ReasonUnknown means that the error states no reason; only its code counts.
	ReasonUnknown Reason = ""
	// ReasonBadRequest means that the server cannot understand the request (400).
	ReasonBadRequest Reason = "BadRequest"
	// ReasonUnauthorized means that the server does not know the user (401).
	ReasonUnauthorized Reason = "Unauthorized"
	// ReasonForbidden means that the user may not make this request (403).
	ReasonForbidden Reason = "Forbidden"
	// ReasonNotFound means that the object or resource does not exist (404).
	ReasonNotFound Reason = "NotFound"
	// ReasonMethodNotAllowed means that the resource lacks the verb (405).
	ReasonMethodNotAllowed Reason = "MethodNotAllowed"
	// ReasonNotAcceptable means that the server serves none of the media types of
	// the Accept header (406).
	ReasonNotAcceptable Reason = "NotAcceptable"
	// ReasonAlreadyExists means that the name is taken (409).
	ReasonAlreadyExists Reason = "AlreadyExists"
	// ReasonConflict means that a write is based on an older state, or that an
	// apply changes fields of another manager (409).
	ReasonConflict Reason = "Conflict"
	// ReasonGone means that the object existed and never will again (410).
	ReasonGone Reason = "Gone"
	// ReasonExpired means that the resourceVersion or token is older than the
	// retained history (410).
	ReasonExpired Reason = "Expired"
	// ReasonRequestEntityTooLarge means that the body exceeds the limit (413).
	ReasonRequestEntityTooLarge Reason = "RequestEntityTooLarge"
	// ReasonUnsupportedMediaType means that the resource does not accept the
	// Content-Type (415).
	ReasonUnsupportedMediaType Reason = "UnsupportedMediaType"
	// ReasonInvalid means that the object breaks the rules of its kind (422).
	ReasonInvalid Reason = "Invalid"
	// ReasonTooManyRequests means that the server is at its limit (429).
	ReasonTooManyRequests Reason = "TooManyRequests"
	// ReasonInternalError means that the server has a fault (500).
	ReasonInternalError Reason = "InternalError"
	// ReasonServerTimeout means that the client should try again later (500).
	ReasonServerTimeout Reason = "ServerTimeout"
	// ReasonStoreReadError means that stored data is unreadable (500).
	ReasonStoreReadError Reason = "StorageReadError"
	// ReasonServiceUnavailable means that the server is not ready (503).
	ReasonServiceUnavailable Reason = "ServiceUnavailable"
	// ReasonTimeout means that the request ran out of time (504).
	ReasonTimeout Reason = "Timeout"
	// ReasonNonZeroExitCode means that a command ran and failed. It arrives at the
	// end of a stream, not as the answer of a request, and has no code.
	ReasonNonZeroExitCode Reason = "NonZeroExitCode"
)

// Code returns the HTTP status code of the reason, or 500 if the reason is
// unknown.
func (r Reason) Code() int {
	switch r {
	case ReasonBadRequest:
		return http.StatusBadRequest
	case ReasonUnauthorized:
		return http.StatusUnauthorized
	case ReasonForbidden:
		return http.StatusForbidden
	case ReasonNotFound:
		return http.StatusNotFound
	case ReasonMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case ReasonNotAcceptable:
		return http.StatusNotAcceptable
	case ReasonAlreadyExists, ReasonConflict:
		return http.StatusConflict
	case ReasonGone, ReasonExpired:
		return http.StatusGone
	case ReasonRequestEntityTooLarge:
		return http.StatusRequestEntityTooLarge
	case ReasonUnsupportedMediaType:
		return http.StatusUnsupportedMediaType
	case ReasonInvalid:
		return http.StatusUnprocessableEntity
	case ReasonTooManyRequests:
		return http.StatusTooManyRequests
	case ReasonServiceUnavailable:
		return http.StatusServiceUnavailable
	case ReasonTimeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// CauseType says what is wrong in one [Cause], for programs.
type CauseType string

// Causes of [Invalid] errors: what is wrong with the member that the cause names.
const (
	CauseNotFound      CauseType = "FieldValueNotFound"     // see [NotFoundField]
	CauseRequired      CauseType = "FieldValueRequired"     // see [RequiredField]
	CauseDuplicate     CauseType = "FieldValueDuplicate"    // see [DuplicateField]
	CauseInvalid       CauseType = "FieldValueInvalid"      // see [InvalidField]
	CauseTypeInvalid   CauseType = "FieldValueTypeInvalid"  // see [TypeInvalidField]
	CauseNotSupported  CauseType = "FieldValueNotSupported" // see [NotSupportedField]
	CauseForbidden     CauseType = "FieldValueForbidden"    // see [ForbiddenField]
	CauseTooLong       CauseType = "FieldValueTooLong"      // see [TooLongField]
	CauseTooShort      CauseType = "FieldValueTooShort"     // see [TooShortField]
	CauseTooMany       CauseType = "FieldValueTooMany"      // see [TooManyField]
	CauseTooFew        CauseType = "FieldValueTooFew"       // see [TooFewField]
	CauseInternalError CauseType = "InternalError"          // see [InternalField]
)

// Causes of other errors.
const (
	// CauseFieldManagerConflict names a field that another manager owns, in a
	// [ReasonConflict] error of apply.
	CauseFieldManagerConflict CauseType = "FieldManagerConflict"
	// CauseResourceVersionTooLarge means that the server has not reached the
	// resourceVersion, in a [ReasonTimeout] error.
	CauseResourceVersionTooLarge CauseType = "ResourceVersionTooLarge"
	// CauseNamespaceTerminating means that the namespace of a create is being
	// deleted, in a [ReasonForbidden] error.
	CauseNamespaceTerminating CauseType = "NamespaceTerminating"
	// CauseUnexpectedServerResponse means that the server could not understand
	// what it read, such as a stored object in a [ReasonStoreReadError] error.
	CauseUnexpectedServerResponse CauseType = "UnexpectedServerResponse"
	// CauseExitCode holds the exit code of a command, in a
	// [ReasonNonZeroExitCode] error.
	CauseExitCode CauseType = "ExitCode"
)
