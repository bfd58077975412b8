package remote

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

const (
	// maxFailure limits how many bytes of a failed response the client reads.
	maxFailure = 4 << 20
	// maxText limits how many bytes of a response without a Status the error quotes. client-go has the
	// same limit.
	maxText = 2048
)

// reasons maps HTTP status codes to reasons. All other codes of at least 500 become InternalError.
var reasons = map[int]status.Reason{
	http.StatusBadRequest:            status.ReasonBadRequest,
	http.StatusUnauthorized:          status.ReasonUnauthorized,
	http.StatusForbidden:             status.ReasonForbidden,
	http.StatusNotFound:              status.ReasonNotFound,
	http.StatusMethodNotAllowed:      status.ReasonMethodNotAllowed,
	http.StatusNotAcceptable:         status.ReasonNotAcceptable,
	http.StatusConflict:              status.ReasonConflict,
	http.StatusGone:                  status.ReasonGone,
	http.StatusRequestEntityTooLarge: status.ReasonRequestEntityTooLarge,
	http.StatusUnsupportedMediaType:  status.ReasonUnsupportedMediaType,
	http.StatusUnprocessableEntity:   status.ReasonInvalid,
	http.StatusTooManyRequests:       status.ReasonTooManyRequests,
	http.StatusServiceUnavailable:    status.ReasonServiceUnavailable,
	http.StatusGatewayTimeout:        status.ReasonTimeout,
}

// failureOf returns the error of a failed response: the Status in its body, or a Status derived from
// its code.
func failureOf(r request, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFailure))
	if s, ok := statusIn(body); err == nil && ok {
		if s.Status.Code == 0 {
			s.Status.Code = int32(resp.StatusCode)
		}
		return s
	}
	return unknown(r, resp, body)
}

// statusIn decodes a Status of a failure. ok is false if the text is anything else.
func statusIn(text []byte) (*status.Error, bool) {
	e := &status.Error{}
	err := codec.Unmarshal(text, &e.Status)
	e.Status.Message = cmp.Or(e.Status.Message,
		fmt.Sprintf("the server sent a Status with the reason %q, but without a message", e.Status.Reason))
	return e, err == nil && e.Status.Kind == "Status" && e.Status.APIVersion == "v1" && e.Status.Status == status.Failure
}

// unknown returns the error for a response without a Status, for example from a proxy.
func unknown(r request, resp *http.Response, body []byte) error {
	text := strings.TrimSpace(strings.ToValidUTF8(string(body[:min(len(body), maxText)]), ""))
	path := r.url
	if resp.Request != nil {
		path = resp.Request.URL.Path
	}
	e := status.Generic(resp.StatusCode, fmt.Sprintf("%s %s: the server answered %d %s without a Status: %q",
		r.method, path, resp.StatusCode, http.StatusText(resp.StatusCode), text))
	e.Status.Details = &status.Details{Causes: []status.Cause{{Type: status.CauseUnexpectedServerResponse, Message: text}}}
	if seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 31); err == nil {
		e.Status.Details.RetryAfterSeconds = int32(seconds)
	}
	switch e.Status.Reason = reasons[resp.StatusCode]; {
	case resp.StatusCode == http.StatusConflict && r.method == http.MethodPost:
		e.Status.Reason = status.ReasonAlreadyExists
	case e.Status.Reason == "" && resp.StatusCode >= http.StatusInternalServerError:
		e.Status.Reason = status.ReasonInternalError
	}
	return e
}

// unreadable returns the error for the body of a successful response that does not decode.
func unreadable(what string, err error) error {
	return fmt.Errorf("the server's answer is not %s: %w", what, err)
}
