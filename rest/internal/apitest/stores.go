package apitest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// FailsToWatchOnce is a store whose first watch of a resource fails, as if the network were down. If Resource is empty,
// it is the first watch of several resources.
type FailsToWatchOnce struct {
	storage.Store
	Resource string
	// Failed reports whether the watch has failed.
	Failed atomic.Bool
}

// Watch implements [storage.Store].
func (s *FailsToWatchOnce) Watch(ctx context.Context, scope watch.Key, after watch.Revision,
	terms ...watch.Term) (watch.Cursor[storage.Record], error) {
	if scope.Resource == s.Resource && s.Failed.CompareAndSwap(false, true) {
		return nil, errors.New("the network is down")
	}
	return s.Store.Watch(ctx, scope, after, terms...)
}
