package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var (
	errFeedEnded  = errors.New("etcd ended the watch")
	errManyByHand = errors.New("another program has changed more objects at once than the store can: close the store and open it again")
)

// Follow implements [storage.Authority] with one watch of the commits and the objects of the store.
func (a *authority) Follow(ctx context.Context, after watch.Revision, yield func(storage.Arrival) error) error {
	watcher := clientv3.NewWatcher(a.client) // with a stream of its own
	defer watcher.Close()
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	responses := watcher.Watch(ctx, a.opts.Prefix+"/", clientv3.WithPrefix(), clientv3.WithRev(a.at(after)+1),
		clientv3.WithProgressNotify())
	for response := range responses {
		if response.CompactRevision > 0 {
			return expired()
		}
		if err := response.Err(); err != nil {
			return fmt.Errorf("%w: %w", errFeedEnded, err)
		}
		for events := response.Events; len(events) > 0; {
			n := 1
			for n < len(events) && events[n].Kv.ModRevision == events[0].Kv.ModRevision {
				n++
			}
			if err := a.arrive(ctx, events[:n], yield); err != nil {
				return err
			}
			events = events[n:]
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errFeedEnded
}

// arrive yields the changes of one revision of etcd. etcd reports them in the order in which the transaction made them.
func (a *authority) arrive(ctx context.Context, events []*clientv3.Event, yield func(storage.Arrival) error) error {
	revision := events[0].Kv.ModRevision
	arrival := storage.Arrival{At: time.Now()}
	var m marker
	for _, e := range events {
		key := string(e.Kv.Key)
		switch {
		case key == a.keys.commit:
			var err error
			if m, err = parseMarker(e.Kv.Value); err != nil {
				return err
			}
			arrival.At = m.at
		case strings.HasPrefix(key, a.keys.objects):
			arrival.Entries = append(arrival.Entries, a.change(ctx, e, len(arrival.Entries), revision))
		}
	}
	if len(arrival.Entries) == 0 {
		return nil
	}
	if len(arrival.Entries) > perRevision {
		return errManyByHand
	}
	arrival.End = a.revision(revision, len(arrival.Entries)-1)
	if err := yield(arrival); err != nil {
		return err
	}
	a.resolve(m.id, revision)
	return nil
}

// change returns the entry of one event.
func (a *authority) change(ctx context.Context, e *clientv3.Event, index int, revision int64) storage.Stored {
	if e.Type != mvccpb.DELETE {
		s := a.stored(ctx, e.Kv)
		if want := a.revision(revision, index); s.Unreadable == nil && s.Revision != want {
			s.Unreadable = errValue
		}
		s.Revision = a.revision(revision, index)
		return s
	}
	key, err := a.keys.parseObject(string(e.Kv.Key))
	return storage.Stored{Key: key, Revision: a.revision(revision, index), Unreadable: err}
}
