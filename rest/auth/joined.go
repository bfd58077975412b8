package auth

import (
	"errors"

	"github.com/decorum-go/decorum/status"
)

// joined returns the error of several parts that were asked the same question. An error of package status wins, because clients receive
// it: if joined hid a 503 among plain errors, a client with a valid token would get 401 and drop the token. Of several, the one with the
// highest code wins, so a part that could not decide counts more than one that refused.
func joined(errs []error) error {
	var told *status.Error
	for _, err := range errs {
		if e, ok := errors.AsType[*status.Error](err); ok && (told == nil || status.CodeOf(e) > status.CodeOf(told)) {
			told = e
		}
	}
	switch {
	case len(errs) == 1:
		return errs[0]
	case told != nil:
		return told.WithCause(errors.Join(errs...))
	}
	return errors.Join(errs...)
}
