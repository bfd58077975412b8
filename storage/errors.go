package storage

import (
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// The errors of a store. Test for them with errors.Is. Errors that clients may see also wrap a Status (see
// [status.From]).
var (
	// ErrNotFound says that no object has this key. A server turns it into a 404 that names the resource.
	ErrNotFound = errors.New("storage: no such object")
	// ErrClosed says that the store is closed. As a Status it is 503 ServiceUnavailable.
	ErrClosed = watch.ErrClosed
	// ErrResource says that a resource is not registered, that its registration is incomplete, or that it is already
	// registered with another scope. From a cursor it means that the resource was unregistered; as a Status it is then
	// 410 Gone.
	ErrResource = errors.New("storage: bad resource")
	// ErrKey says that a key or scope does not fit its resource: it has no name, lacks the namespace, or has a namespace
	// that it must not have.
	ErrKey = errors.New("storage: bad key")
	// ErrRevision says that the next revision would reach 2^53, beyond which some clients cannot tell numbers apart. A
	// store that starts at the clock reaches it in about 230 years.
	ErrRevision = errors.New("storage: no revision below 2^53 is left")
	// ErrJSON says that an update function returned a text that the extractor cannot read or that has no resourceVersion
	// to write the revision into.
	ErrJSON = errors.New("storage: bad object")
	// ErrContended says that the object changed during each of [MaxAttempts] attempts to update it: very many writers
	// compete for it, or the update function itself writes it. As a Status it is 409 Conflict.
	ErrContended = errors.New("storage: the object changed during every attempt to update it")
	// ErrReadOnly means that the store has refused a write and has changed nothing. Possible causes: an earlier write
	// failed, the store is full, the host opened it for reading, or a newer program stored the object in a form that
	// this program does not know. As a Status it is 503 ServiceUnavailable with Retry-After and the cause. Make such an
	// error with [ReadOnly].
	ErrReadOnly = errors.New("storage: the store is read-only")
	// ErrUnknown means that the write may or may not be committed, because the context ended during the commit, or
	// because the commit failed after it may have reached the disk. If the write is committed, readers see it later, at
	// the latest after the host opens the store again. As a Status it is 504 Timeout. It has no Retry-After, because a
	// client must read the object before it repeats the write. Make such an error with [Unknown].
	ErrUnknown = errors.New("storage: the outcome of the write is unknown")
)

// retryReadOnly is how many seconds a client should wait before it repeats a write that a read-only store refused. It
// is long, because an operator must act first.
const retryReadOnly = 10

// ReadOnly returns an [ErrReadOnly] whose cause is err. Clients see the text of err.
func ReadOnly(err error) error {
	s := status.ServiceUnavailable("the store is read-only: " + err.Error())
	s.Status.Details = &status.Details{
		RetryAfterSeconds: retryReadOnly, Causes: []status.Cause{{Type: "StoreReadOnly", Message: err.Error()}},
	}
	return &failure{ErrReadOnly, err, s}
}

// Unknown returns an [ErrUnknown] whose cause is err. Clients do not see the text of err.
func Unknown(err error) error {
	return &failure{ErrUnknown, err,
		status.Timeout("the write may or may not be committed: read the object before you repeat it", 0)}
}

// Unregistered returns the error with which a store ends the cursors of a resource that it unregisters. The error wraps
// [ErrResource], and clients see it as 410 Gone.
func Unregistered(resource string) error {
	return &failure{ErrResource, fmt.Errorf("%q was unregistered", resource),
		status.Gone("the resource is no longer served")}
}

// ErrUnavailable means that a replica cannot reach its authority, or has not yet received all changes from it. So it
// cannot serve reads of the most recent state, and writes; it still serves reads of any state. As a Status it is 503
// ServiceUnavailable with Retry-After. Make such an error with [Unavailable].
var ErrUnavailable = errors.New("storage: the store cannot confirm the most recent state")

// retryUnavailable is how many seconds a client should wait before it asks a replica again. Another replica may answer
// at once.
const retryUnavailable = 1

// Unavailable returns an [ErrUnavailable] whose cause is err, or err itself if it is one. Clients do not see the text
// of err. The log and /readyz show it, so it should name what does not answer.
func Unavailable(err error) error {
	if errors.Is(err, ErrUnavailable) {
		return err
	}
	s := status.ServiceUnavailable("the store cannot confirm the most recent state")
	s.Status.Details = &status.Details{RetryAfterSeconds: retryUnavailable}
	return &failure{ErrUnavailable, err, s}
}

// failure is an error of the store that has a cause and a Status.
type failure struct {
	kind   error
	cause  error
	status *status.Error
}

func (f *failure) Error() string { return f.kind.Error() + ": " + f.cause.Error() }

// Unwrap returns a copy of the Status, because callers may amend it.
func (f *failure) Unwrap() []error {
	s := *f.status
	if s.Status.Details != nil {
		details := *s.Status.Details
		s.Status.Details = &details
	}
	return []error{&s, f.kind, f.cause}
}
