package rbac

import (
	"context"
	"errors"
	"time"

	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// retryAfter is how long follow waits after the store has failed.
const retryAfter = time.Second

// follow reports to the API that rights have changed, until the API ends.
func (z *authorizer) follow() {
	for err := error(nil); err == nil || status.IsExpired(err); {
		told := false
		var changes raw.Changes
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
