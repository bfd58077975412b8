package status

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// about returns the details that name an object of a resource.
func about(gr apimeta.GroupResource, name string) *Details {
	return &Details{Name: name, Group: gr.Group, Kind: gr.Resource}
}

// BadRequest returns the error for a request that cannot be understood (400).
func BadRequest(message string) *Error { return failure(ReasonBadRequest, message, nil) }

// Unauthorized returns the error for a request whose user could not be
// established (401). An empty message defaults to "Unauthorized".
func Unauthorized(message string) *Error {
	if message == "" {
		message = "Unauthorized"
	}
	return failure(ReasonUnauthorized, message, nil)
}

// Forbidden returns the error for a request that its user may not make (403). An
// empty name stands for a request about the resource as a whole, an empty gr for
// a request about no resource.
func Forbidden(gr apimeta.GroupResource, name, reason string) *Error {
	var message string
	switch {
	case gr.Resource == "":
		message = "forbidden: " + reason
	case name == "":
		message = gr.String() + " is forbidden: " + reason
	default:
		message = fmt.Sprintf("%s %q is forbidden: %s", gr, name, reason)
	}
	return failure(ReasonForbidden, message, about(gr, name))
}

// NotFound returns the error for an object that does not exist (404).
func NotFound(gr apimeta.GroupResource, name string) *Error {
	return failure(ReasonNotFound, fmt.Sprintf("%s %q not found", gr, name), about(gr, name))
}

// ResourceNotFound returns the error for a path below a served group that names
// no resource (404).
func ResourceNotFound() *Error {
	return failure(ReasonNotFound, "the server could not find the requested resource", &Details{})
}

// MethodNotSupported returns the error for a resource that lacks a verb, such as
// "create" (405).
func MethodNotSupported(gr apimeta.GroupResource, verb string) *Error {
	return failure(ReasonMethodNotAllowed, fmt.Sprintf("%s is not supported on resources of kind %q", verb, gr.String()),
		about(gr, ""))
}

// MethodNotAllowed returns the error for a path that exists but not for this HTTP
// method (405).
func MethodNotAllowed() *Error {
	return failure(ReasonMethodNotAllowed, "the server does not allow this method on the requested resource", &Details{})
}

// NotAcceptable returns the error for an Accept header that allows none of the
// media types of the resource (406).
func NotAcceptable(served []string) *Error {
	return failure(ReasonNotAcceptable, "only the following media types are accepted: "+strings.Join(served, ", "), nil)
}

// AlreadyExists returns the error for a name that is taken (409).
func AlreadyExists(gr apimeta.GroupResource, name string) *Error {
	return failure(ReasonAlreadyExists, fmt.Sprintf("%s %q already exists", gr, name), about(gr, name))
}

// GenerateNameConflict returns the error for a generateName for which every
// attempted name was taken (409); name is the last one. The client may try again
// after a second.
func GenerateNameConflict(gr apimeta.GroupResource, name string) *Error {
	details := about(gr, name)
	details.RetryAfterSeconds = 1
	return failure(ReasonAlreadyExists,
		fmt.Sprintf("%s %q already exists, the server was not able to generate a unique name for the object", gr, name),
		details)
}

// Conflict returns the error for a write that the state of the object does not
// allow (409).
func Conflict(gr apimeta.GroupResource, name, reason string) *Error {
	return failure(ReasonConflict, fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", gr, name, reason),
		about(gr, name))
}

// ModifiedConflict returns the error for a write whose resourceVersion is no
// longer the stored one (409; API conventions, Concurrency Control and
// Consistency).
func ModifiedConflict(gr apimeta.GroupResource, name string) *Error {
	return Conflict(gr, name, "the object has been modified; please apply your changes to the latest version and try again")
}

// ApplyConflict returns the error for an apply without force that changes fields
// of other managers (409). Each cause names one field.
func ApplyConflict(message string, causes []Cause) *Error {
	return failure(ReasonConflict, message, &Details{Causes: causes})
}

// Gone returns the error for something that existed and will not come back (410).
func Gone(message string) *Error { return failure(ReasonGone, message, nil) }

// Expired returns the error for a resourceVersion older than the retained history
// (410). The client must start over with a list.
func Expired(message string) *Error { return failure(ReasonExpired, message, nil) }

// ResourceExpiredContinue returns the error for a continue token whose snapshot
// is gone (410). If token is not empty, the client can read the rest of the list
// with it, in its present state.
func ResourceExpiredContinue(token string) *Error {
	e := Expired("The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
		"Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time " +
		"the first chunk was returned and now may show up in the list.")
	e.Status.Continue = token
	return e
}

// RequestEntityTooLarge returns the error for a body beyond the limit (413).
func RequestEntityTooLarge(message string) *Error {
	return failure(ReasonRequestEntityTooLarge, "Request entity too large: "+message, nil)
}

// UnsupportedMediaType returns the error for a Content-Type that the resource
// does not accept (415).
func UnsupportedMediaType(read []string) *Error {
	return failure(ReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: "+strings.Join(read, ", "), nil)
}

// Invalid returns the error for an object that breaks the rules of its kind
// (422), with one cause for each error (API conventions, Response Status Kind).
// Equal errors count once.
func Invalid(gk apimeta.GroupKind, name string, errs FieldErrors) *Error {
	errs = errs.distinct()
	details := &Details{Name: name, Group: gk.Group, Kind: gk.Kind}
	for _, e := range errs {
		details.Causes = append(details.Causes, Cause{Type: e.Type, Message: e.body(), Field: e.Field})
	}
	message := fmt.Sprintf("%s %q is invalid", gk, name)
	if len(errs) > 0 {
		message += ": " + errs.Error()
	}
	return failure(ReasonInvalid, message, details)
}

// Unprocessable returns the error for a well-formed patch that cannot be applied
// to the object (422). It names no fields.
func Unprocessable() *Error {
	return failure(ReasonInvalid, "the server rejected our request due to an error in our request", &Details{})
}

// TooManyRequests returns the error of a server at its limit (429).
func TooManyRequests(message string, retryAfterSeconds int) *Error {
	return failure(ReasonTooManyRequests, message, &Details{RetryAfterSeconds: int32(retryAfterSeconds)})
}

// InternalError returns the error for a fault of the server (500). The client
// sees the text of err, so err must be fit for clients; leave other errors to
// [From].
func InternalError(err error) *Error {
	return failure(ReasonInternalError, fmt.Sprintf("Internal error occurred: %v", err),
		&Details{Causes: []Cause{{Message: fmt.Sprint(err)}}}).WithCause(err)
}

// ServerTimeout returns the error for an operation, such as "list", that may
// succeed when the client tries it again (500).
func ServerTimeout(gr apimeta.GroupResource, operation string, retryAfterSeconds int) *Error {
	details := about(gr, operation)
	details.RetryAfterSeconds = int32(retryAfterSeconds)
	return failure(ReasonServerTimeout,
		fmt.Sprintf("The %s operation against %s could not be completed at this time, please try again.", operation, gr),
		details)
}

// ServiceUnavailable returns the error of a server that is not ready (503).
func ServiceUnavailable(message string) *Error {
	return failure(ReasonServiceUnavailable, message, nil)
}

// Timeout returns the error for a request that ran out of time (504).
func Timeout(message string, retryAfterSeconds int) *Error {
	return failure(ReasonTimeout, "Timeout: "+message, &Details{RetryAfterSeconds: int32(retryAfterSeconds)})
}

// TooLargeResourceVersion returns the error for a resourceVersion that the server
// has not reached (504). The client may try again after a second.
func TooLargeResourceVersion(asked, current uint64) *Error {
	e := Timeout(fmt.Sprintf("Too large resource version: %d, current: %d", asked, current), 1)
	e.Status.Details.Causes = []Cause{{Type: CauseResourceVersionTooLarge, Message: "Too large resource version"}}
	return e
}

// NonZeroExit returns the error for a command that ended with an exit code other
// than 0. kubectl exec reads it at the end of a stream and exits with the same
// code. A code outside of 1 to 255 counts as 255.
func NonZeroExit(code int) *Error {
	if code < 1 || code > 255 {
		code = 255
	}
	text := strconv.Itoa(code)
	e := Generic(0, "command terminated with non-zero exit code: exit status "+text)
	e.Status.Reason = ReasonNonZeroExitCode
	e.Status.Details = &Details{Causes: []Cause{{Type: CauseExitCode, Message: text}}}
	return e
}
