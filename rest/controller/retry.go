package controller

import (
	"errors"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// isFinal reports whether a retry cannot succeed: the API or its store is closed, or the request does not fit the
// resource.
func isFinal(err error) bool {
	switch status.ReasonOf(err) {
	case status.ReasonBadRequest, status.ReasonMethodNotAllowed, status.ReasonNotFound:
		return true
	}
	return errors.Is(err, watch.ErrClosed)
}
