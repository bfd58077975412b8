package rbac

import (
	"context"
	"errors"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// refresh brings the index to a revision at least as recent as the present one. While nothing is written, that costs one comparison. So
// a write counts from the next decision on.
func (z *Authorizer) refresh() error {
	if z.objects == (rest.Objects{}) {
		return errNotStarted
	}
	now := uint64(z.objects.Revision())
	if z.seen.Load() >= now {
		return nil
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.seen.Load() >= now { // another request was faster
		return nil
	}
	err := z.poll()
	if errors.Is(err, watch.ErrClosed) && z.index != nil {
		return nil // the API is shutting down, and the index decides the remaining requests as it is
	}
	if err != nil { // the store no longer holds all changes, or the index has not been read yet
		if err = z.read(); err != nil {
			return err
		}
	}
	z.seen.Store(now)
	return nil
}

// errUnread means that the index has to be read.
var errUnread = errors.New("rbac: the index has not been read")

// poll applies the changes since the last poll.
func (z *Authorizer) poll() error {
	if z.ahead == nil {
		return errUnread
	}
	for _, cursor := range z.ahead {
		for {
			changes, err := cursor.Poll(nil)
			if err != nil {
				return err
			}
			if len(changes) == 0 {
				break
			}
			for _, c := range changes {
				z.index.put(c.Scope, c.Current)
			}
		}
	}
	return nil
}

// read reads the index anew. The cursors begin before the lists, so a change may come twice, but none is lost.
func (z *Authorizer) read() error {
	ctx := context.Background()
	for _, cursor := range z.ahead {
		cursor.Close()
	}
	z.ahead = nil
	index, ahead := newIndex(), []*watch.Cursor[storage.Record](nil)
	for _, resource := range resources() {
		cursor, err := z.objects.Watch(ctx, resource, z.objects.Revision())
		if err != nil {
			return err
		}
		ahead = append(ahead, cursor)
		records, err := z.objects.List(ctx, resource, "")
		if err != nil {
			return err
		}
		for _, r := range records {
			index.put(r.Key, r)
		}
	}
	z.index, z.ahead = index, ahead
	return z.poll()
}

// retryAfter is how long follow waits after the store has failed.
const retryAfter = time.Second

// follow reports to the API that rights have changed, until the API ends.
func (z *Authorizer) follow() {
	for err := error(nil); err == nil || status.IsExpired(err); {
		told := false
		var changes rest.Changes
		for changes, err = range z.objects.Follow(context.Background(), resources()...) {
			// The first state counts as a change, because the first watch may have been allowed by an earlier one.
			if err == nil && changes.Through > 0 && (!told || len(changes.List) > 0) {
				told = true
				z.api.RightsChanged()
			}
		}
		if !status.IsExpired(err) && !errors.Is(err, watch.ErrClosed) { // the store failed
			time.AfterFunc(retryAfter, z.follow)
		}
	}
}
