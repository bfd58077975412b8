package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

var (
	errFeedEnded  = errors.New("etcd ended the watch")
	errFeedLost   = errors.New("the connection of the watch was lost")
	errManyByHand = errors.New("another program has changed more objects at once than the store can: close the store and open it again")
)

// maxEarly bounds how many commits the feed remembers that the watch has not reported yet. An etcd that goes back loses
// its last commits first, so older commits would not tell more.
const maxEarly = 100

// feed passes the commits to the engine, in order and each once. The watch and the writers call it.
type feed struct {
	mu       sync.Mutex // held while a commit is passed
	yield    func(engine.Arrival) error
	position int64 // everything up to this revision of etcd was passed

	sights sync.Mutex
	cancel context.CancelFunc // stops the watch; nil without one
	last   sighting           // the last commit that the watch has reported
	early  []sighting         // later commits, which writers have passed
	lost   chan struct{}      // closed when etcd is recognized again; nil unless the connection was lost
}

// begin makes the feed pass what follows a revision of etcd, until end is called. interrupt calls cancel.
func (f *feed) begin(after int64, yield func(engine.Arrival) error, cancel context.CancelFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.yield, f.position = yield, after
	f.sights.Lock()
	defer f.sights.Unlock()
	f.cancel = cancel
}

func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.yield = nil
}

// lose notes that the connection is lost, so that etcd may have gone back.
func (f *feed) lose() {
	f.sights.Lock()
	defer f.sights.Unlock()
	if f.lost == nil {
		f.lost = make(chan struct{})
	}
}

// resume notes that this replica knows whether etcd has gone back.
func (f *feed) resume() {
	f.sights.Lock()
	defer f.sights.Unlock()
	if f.lost != nil {
		close(f.lost)
		f.lost = nil
	}
}

// untilResumed waits until this replica knows whether etcd has gone back.
func (f *feed) untilResumed(ctx context.Context) error {
	f.sights.Lock()
	lost := f.lost
	f.sights.Unlock()
	if lost == nil {
		return nil
	}
	select {
	case <-lost:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// interrupt ends the watch.
func (f *feed) interrupt() {
	f.sights.Lock()
	defer f.sights.Unlock()
	if f.cancel != nil {
		f.cancel()
	}
}

// sight remembers the last commit that etcd has reported.
func (f *feed) sight(s sighting) {
	f.sights.Lock()
	defer f.sights.Unlock()
	f.last = s
	f.early = slices.DeleteFunc(f.early, func(e sighting) bool { return e.revision <= s.revision })
}

// sightEarly remembers a commit that the watch has not reported yet.
func (f *feed) sightEarly(s sighting) {
	f.sights.Lock()
	defer f.sights.Unlock()
	if s.revision > f.last.revision {
		f.early = append(f.early[max(0, len(f.early)+1-maxEarly):], s)
	}
}

// forget forgets all commits, because etcd has gone back.
func (f *feed) forget() {
	f.sights.Lock()
	defer f.sights.Unlock()
	f.last, f.early = sighting{}, nil
}

// sighted returns the last commit that the watch has reported, or the zero value.
func (f *feed) sighted() sighting {
	f.sights.Lock()
	defer f.sights.Unlock()
	return f.last
}

// received returns the revision up to which everything was passed, and the commits that tell whether etcd still has it.
func (f *feed) received() (position int64, all []sighting) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sights.Lock()
	defer f.sights.Unlock()
	if f.last.revision > 0 {
		all = append(all, f.last)
	}
	return f.position, append(all, f.early...)
}

// has reports whether everything up to a revision of etcd was passed.
func (f *feed) has(revision int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return revision <= f.position
}

// pass passes what the watch reports at a revision of etcd, unless the writer has passed it.
func (f *feed) pass(revision int64, arrival *engine.Arrival) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if revision <= f.position {
		return nil
	}
	return f.move(revision, arrival)
}

// passEarly passes a commit before the watch reports it, if everything before it was passed. The writer does not wait
// if the feed is busy or an upgrade pauses changes: then the watch passes the commit.
func (f *feed) passEarly(s sighting, read func() (engine.Arrival, error)) {
	if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	if f.yield == nil || f.position != s.revision-1 {
		return
	}
	arrival, err := read()
	if err != nil {
		return
	}
	arrival.NoWait = true
	if f.move(s.revision, &arrival) == nil {
		f.sightEarly(s)
	}
}

// move passes an arrival. The caller holds the lock.
func (f *feed) move(revision int64, arrival *engine.Arrival) error {
	if len(arrival.Entries) > 0 {
		if err := f.yield(*arrival); err != nil {
			return err
		}
	}
	f.position = revision
	return nil
}

// Follow implements [engine.Authority] with one watch of the commits and the objects of the store, and with the
// answers to this replica's own commits. Each time the watch connects, Follow checks whether etcd has gone back
// meanwhile.
func (a *authority) Follow(ctx context.Context, after watch.Revision, yield func(engine.Arrival) error) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	a.feed.begin(a.at(after), yield, cancel)
	defer a.feed.end()
	for {
		err := a.recognize(bounded, after)
		if err == nil || status.IsExpired(err) {
			a.feed.resume()
		}
		if err == nil {
			err = a.watch(bounded)
		}
		if ctx.Err() == nil && after < a.base() { // a new epoch has begun
			return expired()
		}
		if !errors.Is(err, errFeedLost) {
			return err
		}
	}
}

// watch passes what etcd reports, until the connection is lost.
func (a *authority) watch(ctx context.Context) error {
	connection := &connection{WatchClient: a.watchClient(), lose: a.feed.lose}
	watcher := clientv3.NewWatchFromWatchClient(connection, a.client) // the watcher has a stream of its own
	defer watcher.Close()
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	position, _ := a.feed.received()
	responses := watcher.Watch(ctx, a.opts.Prefix+"/", clientv3.WithPrefix(), clientv3.WithRev(position+1),
		clientv3.WithProgressNotify())
	for response := range responses {
		if response.CompactRevision > 0 {
			return expired()
		}
		if err := response.Err(); err != nil && connection.lost.Load() {
			break
		} else if err != nil {
			return fmt.Errorf("%w: %w", errFeedEnded, err)
		}
		a.see(response.Header.Revision)
		for events := response.Events; len(events) > 0; {
			n := 1
			for n < len(events) && events[n].Kv.ModRevision == events[0].Kv.ModRevision {
				n++
			}
			if err := a.receive(ctx, events[:n]); err != nil {
				return err
			}
			events = events[n:]
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case connection.lost.Load():
		return errFeedLost
	}
	return errFeedEnded
}

// watchClient returns the client that opens watches.
func (a *authority) watchClient() pb.WatchClient {
	if a.opts.WatchClient != nil {
		return a.opts.WatchClient
	}
	return pb.NewWatchClient(a.client.ActiveConnection())
}

// connection opens only one stream. The watcher would otherwise open another stream on its own, and the loss of the
// first one would go unnoticed.
type connection struct {
	pb.WatchClient
	lose         func() // called when the stream is lost
	opened, lost atomic.Bool
}

// Watch implements [pb.WatchClient].
func (c *connection) Watch(ctx context.Context, opts ...grpc.CallOption) (pb.Watch_WatchClient, error) {
	if c.opened.Load() {
		c.lose()
		c.lost.Store(true)
		return nil, grpcstatus.Error(codes.Aborted, errFeedLost.Error())
	}
	stream, err := c.WatchClient.Watch(ctx, opts...)
	c.opened.Store(err == nil)
	return stream, err
}

// receive passes what the watch reports at one revision of etcd.
func (a *authority) receive(ctx context.Context, events []*clientv3.Event) error {
	revision := events[0].Kv.ModRevision
	for _, e := range events {
		switch string(e.Kv.Key) {
		case a.keys.meta: // another replica has begun an epoch
			if _, _, err := a.refreshBase(ctx); err != nil {
				return err
			}
		case a.keys.commit:
			if m, err := parseMarker(e.Kv.Value); err == nil {
				defer a.feed.sight(sighting{revision, m.id})
			}
		}
	}
	if a.feed.has(revision) {
		return nil
	}
	m, arrival, err := a.arrival(ctx, events)
	if err != nil {
		return err
	}
	if err := a.feed.pass(revision, &arrival); err != nil {
		return err
	}
	a.resolve(m.id, revision)
	return nil
}

// show passes a commit of this replica that etcd has confirmed, if nothing is missing before it.
func (a *authority) show(ctx context.Context, id string, operations []clientv3.Op, revision int64) {
	a.feed.passEarly(sighting{revision, id}, func() (engine.Arrival, error) {
		_, arrival, err := a.arrival(ctx, eventsOf(operations, revision))
		return arrival, err
	})
}

// eventsOf returns the events that a watch would report for a transaction.
func eventsOf(operations []clientv3.Op, revision int64) []*clientv3.Event {
	events := make([]*clientv3.Event, len(operations))
	for i := range operations {
		op := &operations[i]
		events[i] = &clientv3.Event{Kv: &mvccpb.KeyValue{Key: op.KeyBytes(), Value: op.ValueBytes(), ModRevision: revision}}
		if op.IsDelete() {
			events[i].Type = mvccpb.DELETE
		}
	}
	return events
}

// arrival returns the changes of one revision of etcd, in the order in which the transaction made them, and the marker
// of the commit, if a store made the transaction.
func (a *authority) arrival(ctx context.Context, events []*clientv3.Event) (m marker, arrival engine.Arrival, err error) {
	revision := events[0].Kv.ModRevision
	arrival.At = time.Now()
	for _, e := range events {
		key := string(e.Kv.Key)
		switch {
		case key == a.keys.commit:
			if m, err = parseMarker(e.Kv.Value); err != nil {
				return m, arrival, err
			}
			arrival.At = m.at
		case strings.HasPrefix(key, a.keys.objects):
			arrival.Entries = append(arrival.Entries, a.change(ctx, e, len(arrival.Entries), revision))
		}
	}
	if len(arrival.Entries) > perRevision {
		return m, arrival, errManyByHand
	}
	if len(arrival.Entries) > 0 {
		arrival.End = a.revision(revision, len(arrival.Entries)-1)
	}
	return m, arrival, nil
}

// change returns the entry of one event.
func (a *authority) change(ctx context.Context, e *clientv3.Event, index int, revision int64) engine.Stored {
	if e.Type != mvccpb.DELETE {
		s := a.stored(ctx, e.Kv)
		if want := a.revision(revision, index); s.Unreadable == nil && s.Revision != want {
			s.Unreadable = errValue
		}
		s.Revision = a.revision(revision, index)
		return s
	}
	key, err := a.keys.parseObject(string(e.Kv.Key))
	return engine.Stored{Key: key, Revision: a.revision(revision, index), Unreadable: err}
}
