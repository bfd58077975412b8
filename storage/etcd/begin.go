package etcd

import (
	"context"
	"sort"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// start returns the revision from which a replica serves the history: the oldest one that etcd has, within the age and
// the number of commits that the replica wants to read, and above what was dropped.
func (a *authority) start(ctx context.Context, created int64, since time.Time) (watch.Revision, error) {
	last, now, err := a.mark(ctx, 0)
	if err != nil {
		return 0, err
	}
	response, err := a.get(ctx, a.keys.history)
	if err != nil {
		return 0, err
	}
	floor, err := parseFloor(response)
	if err != nil {
		return 0, err
	}
	first := created
	if floor > 0 {
		first = max(first, a.at(floor))
	}
	compacted := int64(-1) // the last revision that is known to be compacted
	var failed error
	offset := sort.Search(int(now-first), func(i int) bool {
		m, _, err := a.mark(ctx, first+int64(i))
		switch {
		case status.IsExpired(err):
			compacted = max(compacted, first+int64(i))
			return false
		case err != nil:
			failed = err
			return true
		}
		return m.revision == last.revision || m.at.After(since) && last.version-m.version <= maxReplay
	})
	if failed != nil {
		return 0, failed
	}
	at := first + int64(offset)
	m, _, err := a.mark(ctx, at)
	if err != nil {
		return 0, err
	}
	if compacted == at-1 {
		// Clients may know later revisions than that of the last commit: from a store that was restored from an older backup,
		// whose revisions the restore has skipped and marked as compacted.
		return a.end(at), nil
	}
	return max(m.end(a), floor), nil
}
