package etcd

import (
	"cmp"
	"context"
	"sort"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// askEvery is how often a replica that begins asks how far its watch has come. etcd does not answer before the watch
// has reported the changes of the past.
const askEvery = 20 * time.Millisecond

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
	a.feed.sight(sighting{m.revision, m.id})
	begin := m.end(a)
	if compacted == at-1 {
		// Clients may know later revisions than that of the last commit: from a store that was restored from an older backup,
		// whose revisions the restore has skipped and marked as compacted.
		begin = a.end(at)
	}
	if m.revision == last.revision {
		changed, err := a.changedBetween(ctx, a.at(begin), now)
		if err != nil {
			return 0, err
		}
		if changed {
			begin = a.end(now)
		}
	}
	return max(begin, floor), nil
}

// changedBetween reports whether somebody has changed objects by hand after the last commit. A replica that begins at
// the last commit has nothing to wait for, and would move its revision past these changes before its watch reports
// them. A watch reports changes of the past some time after it has begun, so etcd is asked for its progress.
func (a *authority) changedBetween(ctx context.Context, from, to int64) (bool, error) {
	if from >= to {
		return false, nil
	}
	bounded, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), a.opts.Timeout)
	defer cancel()
	watcher := clientv3.NewWatchFromWatchClient(a.watchClient(), a.client)
	defer watcher.Close()
	responses := watcher.Watch(bounded, a.keys.objects, clientv3.WithPrefix(), clientv3.WithRev(from+1))
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	for {
		select {
		case response, ok := <-responses:
			switch {
			case response.CompactRevision > 0:
				return true, nil // etcd no longer has the changes, so assume that there were some
			case !ok || response.Err() != nil:
				return false, unavailable(ctx, cmp.Or(response.Err(), errFeedEnded))
			case len(response.Events) > 0:
				return response.Events[0].Kv.ModRevision <= to, nil
			case response.IsProgressNotify() && response.Header.Revision >= to:
				return false, nil
			}
		case <-ask.C:
			if err := watcher.RequestProgress(bounded); err != nil {
				return false, unavailable(ctx, err)
			}
		}
	}
}
