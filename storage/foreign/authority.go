package foreign

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// authority numbers what the sources report, and passes it to the engine. It is the [engine.Authority] of one engine.
type authority struct {
	sources map[string]*source
	now     func() time.Time
	ctx     context.Context // a context that ends when the engine closes
	stop    context.CancelFunc
	readers sync.WaitGroup

	mu       sync.Mutex // guards the state of the sources, too, and is never held during a call of a source
	revision watch.Revision
	issued   []span
	queue    []arrival
	arrived  chan struct{} // closed when queue grows
	charged  map[string]watch.Revision
}

// span are the revisions of a group.
type span struct{ first, last watch.Revision }

// maxSpans bounds the memory for issued to a MiB.
const maxSpans = 1 << 16

// arrival is a group that the engine has yet to apply.
type arrival struct {
	changes []change
	end     watch.Revision
	at      time.Time
}

// change is the new state of an object, or nil if the object is gone.
type change struct {
	key      storage.Key
	revision watch.Revision
	now      *object
}

func newAuthority(sources map[string]*source, start watch.Revision, now func() time.Time) *authority {
	a := &authority{sources: sources, now: now, revision: start, issued: []span{{start, start}},
		arrived: make(chan struct{}), charged: map[string]watch.Revision{}}
	a.ctx, a.stop = context.WithCancel(context.Background())
	return a
}

// Begin implements [engine.Authority].
func (a *authority) Begin(context.Context, watch.Revision, time.Time) (watch.Revision, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.revision, nil
}

// Announce implements [engine.Authority]. The source knows no forms, so every record is upgraded when it arrives.
func (a *authority) Announce(context.Context, string, string) error { return nil }

// Newer implements [engine.Authority].
func (a *authority) Newer(string, string, string) bool { return false }

// Load implements [engine.Authority].
func (a *authority) Load(_ context.Context, resource string, at watch.Revision,
	yield func(engine.Stored) error) error {
	a.mu.Lock()
	s := a.sources[resource]
	if s == nil {
		a.mu.Unlock()
		return nil
	}
	if at < s.changedAt {
		a.mu.Unlock()
		return status.Expired("the source has changed")
	}
	objects := maps.Clone(s.objects)
	a.mu.Unlock()
	for _, key := range slices.SortedFunc(maps.Keys(objects), compareKeys) {
		if err := yield(objects[key].stored(key, objects[key].revision)); err != nil {
			return err
		}
	}
	return nil
}

func compareKeys(x, y storage.Key) int {
	return cmp.Or(cmp.Compare(x.Resource, y.Resource), cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name))
}

// ResourcesIn implements [engine.Authority].
func (a *authority) ResourcesIn(_ context.Context, namespace string, _ func(string) bool) (names []string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, s := range a.sources {
		for key := range s.objects {
			if namespace == "" || key.Namespace == namespace {
				names = append(names, name)
				break
			}
		}
	}
	return names, nil
}

// Follow implements [engine.Authority].
func (a *authority) Follow(ctx context.Context, after watch.Revision, yield func(engine.Arrival) error) error {
	for {
		next, arrived := a.next(after)
		if next == nil {
			select {
			case <-arrived:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		group := engine.Arrival{End: next.end, At: next.at}
		for _, c := range next.changes {
			stored := c.now.stored(c.key, c.revision)
			group.Entries = append(group.Entries, stored)
		}
		if err := yield(group); err != nil {
			return err
		}
		after = next.end
	}
}

// next forgets the groups up to a revision, and returns the following one, or a channel that is closed when there is
// one.
func (a *authority) next(after watch.Revision) (*arrival, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = slices.DeleteFunc(a.queue, func(group arrival) bool { return group.end <= after })
	if len(a.queue) == 0 {
		return nil, a.arrived
	}
	group := a.queue[0]
	return &group, nil
}

// append numbers a group of changes of a source. The caller holds the lock.
func (a *authority) append(s *source, changes []change) (first watch.Revision) {
	at := a.now()
	first = max(a.revision+1, watch.Revision(max(0, at.UnixMicro())))
	last := first
	for i := range changes {
		c := &changes[i]
		c.revision = first + watch.Revision(i)
		last = c.revision
		if c.now == nil {
			delete(s.objects, c.key)
			continue
		}
		c.now.revision, c.now.written = c.revision, storage.MomentOf(at)
		s.objects[c.key] = c.now
	}
	a.revision, s.changedAt = last, last
	if a.issued = append(a.issued, span{first, last}); len(a.issued) > maxSpans {
		a.issued = slices.Clone(a.issued[maxSpans/2:])
	}
	a.queue = append(a.queue, arrival{changes, last, at})
	close(a.arrived)
	a.arrived = make(chan struct{})
	return first
}

// knows reports whether a revision is one of this process.
func (a *authority) knows(revision watch.Revision) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, found := slices.BinarySearchFunc(a.issued, revision, func(s span, r watch.Revision) int {
		switch {
		case s.last < r:
			return -1
		case s.first > r:
			return 1
		}
		return 0
	})
	return found
}

// Latest implements [engine.Authority]. It is what the store has seen, see [Source].
func (a *authority) Latest(context.Context) (last, known watch.Revision, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.revision, a.revision, nil
}

// errSeveral refuses to write several objects together.
var errSeveral = status.BadRequest("objects that live elsewhere are written one at a time")

// Commit implements [engine.Authority].
func (a *authority) Commit(ctx context.Context, group engine.Group) (engine.Verdict, error) {
	var entry *storage.Entry
	for i := range group.Entries {
		if e := &group.Entries[i]; e.Current != e.Previous {
			if entry != nil {
				return engine.Verdict{}, errSeveral
			}
			entry = e
		}
	}
	if entry == nil { // a group that changes nothing
		return engine.Verdict{Done: true, Revision: group.Seen}, nil
	}
	s := a.sources[entry.Key.Resource]
	end, err := a.beginWrite(ctx, s, entry.Key)
	if err != nil {
		return engine.Verdict{}, err
	}
	defer end()
	old, verdict, ok := a.examine(group, entry)
	if !ok {
		return verdict, nil
	}
	next, err := s.write(ctx, entry)
	if err != nil {
		return a.failed(ctx, s, entry.Key, old, end, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var changes []change
	if next == nil || old == nil || !bytes.Equal(next.raw, old.raw) || next.uid != old.uid {
		changes = []change{{key: entry.Key, now: next}}
	}
	first := a.append(s, changes)
	for _, account := range group.Accounts {
		a.charged[account] = first
	}
	verdict = engine.Verdict{Done: true, Revision: first}
	switch {
	case next == nil: // the object is gone, and the answer shows its last state
	case changes == nil:
		verdict.Kept = []engine.Stored{old.stored(entry.Key, old.revision)}
	default:
		verdict.Kept = []engine.Stored{next.stored(entry.Key, next.revision)}
	}
	return verdict, nil
}

// examine returns the object before the change, or the verdict that a group has come too late.
func (a *authority) examine(group engine.Group, entry *storage.Entry) (old *object, verdict engine.Verdict, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	verdict.Revision = a.revision
	for _, account := range group.Accounts {
		if a.charged[account] > group.Seen {
			return nil, verdict, false
		}
	}
	for _, e := range group.Entries {
		seen, now := watch.Revision(0), watch.Revision(0)
		if e.Previous != nil {
			seen = e.Previous.Revision
		}
		if o := a.sources[e.Key.Resource].objects[e.Key]; o != nil {
			now = o.revision
		}
		if seen != now {
			return nil, verdict, false
		}
	}
	return a.sources[entry.Key.Resource].objects[entry.Key], verdict, true
}

// failed returns the outcome of a write whose function has returned an error. After a conflict, it reads the object
// again.
func (a *authority) failed(
	ctx context.Context, s *source, key storage.Key, old *object, end func(), err error,
) (engine.Verdict, error) {
	end() // the next read sees the object, regardless of the outcome in the source
	switch {
	case status.IsConflict(err) || status.IsNotFound(err) || status.IsAlreadyExists(err):
		if again := a.readAgain(ctx, s, key); again != nil {
			return engine.Verdict{}, errors.Join(err, again)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if s.objects[key] != old {
			return engine.Verdict{Revision: a.revision}, nil
		}
		return engine.Verdict{}, err
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		s.lookAgain()
		return engine.Verdict{}, storage.Unknown(err)
	}
	s.lookAgain()
	return engine.Verdict{}, err
}

// Compact implements [engine.Authority]. The source keeps no history.
func (a *authority) Compact(context.Context, watch.Revision) error { return nil }

// Close implements [engine.Authority].
func (a *authority) Close() error {
	a.stop()
	a.readers.Wait()
	return nil
}
