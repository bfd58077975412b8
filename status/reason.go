package status

import "net/http"

// Reason says why a request failed, for programs. The set is closed.
type Reason string

// The reasons, each with the HTTP code that [Reason.Code] returns for it.
const (
	// ReasonUnknown is the absence of a reason; the code alone counts.
	ReasonUnknown Reason = ""
	// ReasonBadRequest is a request that makes no sense (400).
	ReasonBadRequest Reason = "BadRequest"
	// ReasonUnauthorized is a request from nobody known (401).
	ReasonUnauthorized Reason = "Unauthorized"
	// ReasonForbidden is a request that its user may not make (403).
	ReasonForbidden Reason = "Forbidden"
	// ReasonNotFound is an object or resource that does not exist (404).
	ReasonNotFound Reason = "NotFound"
	// ReasonMethodNotAllowed is a verb that the resource does not have (405).
	ReasonMethodNotAllowed Reason = "MethodNotAllowed"
	// ReasonNotAcceptable is an Accept header that cannot be met (406).
	ReasonNotAcceptable Reason = "NotAcceptable"
	// ReasonAlreadyExists is a name that is taken (409).
	ReasonAlreadyExists Reason = "AlreadyExists"
	// ReasonConflict is a write based on an older state, or an apply to fields of
	// another manager (409).
	ReasonConflict Reason = "Conflict"
	// ReasonGone is an object that existed and never will again (410).
	ReasonGone Reason = "Gone"
	// ReasonExpired is a resourceVersion or token from before the retained
	// history (410).
	ReasonExpired Reason = "Expired"
	// ReasonRequestEntityTooLarge is a body beyond the limit (413).
	ReasonRequestEntityTooLarge Reason = "RequestEntityTooLarge"
	// ReasonUnsupportedMediaType is a Content-Type nobody reads (415).
	ReasonUnsupportedMediaType Reason = "UnsupportedMediaType"
	// ReasonInvalid is an object that breaks the rules of its kind (422).
	ReasonInvalid Reason = "Invalid"
	// ReasonTooManyRequests is a server at its limit (429).
	ReasonTooManyRequests Reason = "TooManyRequests"
	// ReasonInternalError is a fault of the server (500).
	ReasonInternalError Reason = "InternalError"
	// ReasonServerTimeout is an operation to try again later (500).
	ReasonServerTimeout Reason = "ServerTimeout"
	// ReasonStoreReadError is stored data that cannot be read any more (500).
	ReasonStoreReadError Reason = "StorageReadError"
	// ReasonServiceUnavailable is a server that is not ready (503).
	ReasonServiceUnavailable Reason = "ServiceUnavailable"
	// ReasonTimeout is a request that ran out of time (504).
	ReasonTimeout Reason = "Timeout"
	// ReasonNonZeroExitCode is a command that ran and failed, told at the end of a
	// stream; it is no answer to a request and has no code.
	ReasonNonZeroExitCode Reason = "NonZeroExitCode"
)

// Code returns the HTTP status code of the reason, 500 for an unknown one.
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
	CauseNotFound      CauseType = "FieldValueNotFound"
	CauseRequired      CauseType = "FieldValueRequired"
	CauseDuplicate     CauseType = "FieldValueDuplicate"
	CauseInvalid       CauseType = "FieldValueInvalid"
	CauseTypeInvalid   CauseType = "FieldValueTypeInvalid"
	CauseNotSupported  CauseType = "FieldValueNotSupported"
	CauseForbidden     CauseType = "FieldValueForbidden"
	CauseTooLong       CauseType = "FieldValueTooLong"
	CauseTooShort      CauseType = "FieldValueTooShort"
	CauseTooMany       CauseType = "FieldValueTooMany"
	CauseTooFew        CauseType = "FieldValueTooFew"
	CauseInternalError CauseType = "InternalError"
)

// Causes of other errors.
const (
	// CauseFieldManagerConflict is a field that another manager owns, in a
	// [ReasonConflict] error of apply.
	CauseFieldManagerConflict CauseType = "FieldManagerConflict"
	// CauseResourceVersionTooLarge is a version the server has not reached, in a
	// [ReasonTimeout] error.
	CauseResourceVersionTooLarge CauseType = "ResourceVersionTooLarge"
	// CauseNamespaceTerminating is a create in a namespace that is being deleted,
	// in a [ReasonForbidden] error.
	CauseNamespaceTerminating CauseType = "NamespaceTerminating"
	// CauseUnexpectedServerResponse is an answer from behind the server that
	// could not be understood.
	CauseUnexpectedServerResponse CauseType = "UnexpectedServerResponse"
	// CauseExitCode holds the exit code of a command, in a
	// [ReasonNonZeroExitCode] error.
	CauseExitCode CauseType = "ExitCode"
)
