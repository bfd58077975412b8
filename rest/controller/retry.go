package controller

import (
	"errors"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// maxFruitless is how often an informer lists again at once although every list was followed by an expired watch.
const maxFruitless = 3

// isFinal reports whether a retry cannot succeed: the API or its store is closed, or the request does not fit the
// resource. NotFound is not final, because a proxy says so too while its server starts.
func isFinal(err error) bool {
	return status.IsBadRequest(err) || status.IsMethodNotAllowed(err) || errors.Is(err, watch.ErrClosed)
}
