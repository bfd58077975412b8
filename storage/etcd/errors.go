package etcd

import (
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// ErrFormat means that the keys below the prefix have a format that this package does not know.
var ErrFormat = errors.New("etcd: the prefix has an unknown format")

// refusals are the errors after which etcd has not executed a transaction.
var refusals = []error{
	rpctypes.ErrNoLeader, rpctypes.ErrNotLeader, rpctypes.ErrTooManyRequests, rpctypes.ErrUnhealthy,
	rpctypes.ErrNotCapable,
	rpctypes.ErrPermissionDenied, rpctypes.ErrPermissionNotGranted, rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthFailed,
	rpctypes.ErrUserEmpty,
	rpctypes.ErrAuthOldRevision, rpctypes.ErrGRPCNotSupportedForLearner,
}

// refused returns the error for the client if a transaction was certainly not executed, and nil otherwise.
func refused(err error) error {
	is := func(target error) bool { return errors.Is(rpctypes.Error(err), target) || errors.Is(err, target) }
	switch {
	case is(rpctypes.ErrNoSpace):
		return storage.ReadOnly(errors.New("etcd has no space left: compact and defragment it, and then disarm its alarm"))
	case is(rpctypes.ErrRequestTooLarge), tooLargeToSend(err):
		return tooLarge("a write may have at most 1.5 MiB, or the limit of etcd if that differs")
	case is(rpctypes.ErrTooManyOps):
		return tooLarge(fmt.Sprintf("a write may change at most %d objects, or fewer if etcd is configured so", MaxGroup))
	}
	for _, refusal := range refusals {
		if is(refusal) {
			return storage.Unavailable(fmt.Errorf("etcd refuses the request: %w", err))
		}
	}
	return nil
}

// tooLargeToSend reports whether the client refused to send a message because of its size.
func tooLargeToSend(err error) bool {
	s, ok := grpcstatus.FromError(err)
	return ok && s.Code() == codes.ResourceExhausted && !errors.Is(rpctypes.Error(err), rpctypes.ErrTooManyRequests)
}

func tooLarge(message string) error { return status.RequestEntityTooLarge(message) }

func isCompacted(err error) bool {
	return errors.Is(rpctypes.Error(err), rpctypes.ErrCompacted) || errors.Is(err, rpctypes.ErrCompacted)
}

// errAhead is the error for a revision that etcd has not reached, although it was seen.
var errAhead = errors.New("etcd has gone back to an earlier state")

func isAhead(err error) bool {
	return errors.Is(rpctypes.Error(err), rpctypes.ErrFutureRev) || errors.Is(err, rpctypes.ErrFutureRev)
}

// expired is the error for a state that etcd has compacted.
func expired() error { return status.Expired("etcd has compacted the revision") }
