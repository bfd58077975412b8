package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/status"
)

// ErrClosed says that the log, the store or the cursor was closed. As a Status it is 503 ServiceUnavailable.
var ErrClosed error = closedError{}

type closedError struct{}

func (closedError) Error() string { return "watch: closed" }

// Unwrap lets a server write the error to a client. It returns a new Status each time, because callers may amend it.
func (closedError) Unwrap() error { return status.ServiceUnavailable("the server is shutting down") }

var errOrder = errors.New("watch: revisions of appended changes must ascend")

// changeOverhead is how many bytes the log needs for one change beside the states it points to: the change, and its
// place in the ring.
const changeOverhead = 112

// scanStep bounds how many entries a scan reads while it holds the lock, so that filling a topic does not block a
// writer for long. dropStep bounds how many it drops: each of them is a wait for memory, and 1024 take half a
// millisecond.
const (
	scanStep = 4096
	dropStep = 1024
)

// LogOptions bounds a [Log]. The zero value keeps changes without limit, from revision 0.
type LogOptions[T any] struct {
	// Start is the revision of the state the log begins with; the first change must be younger.
	Start Revision
	// Oldest is the oldest revision from which a cursor may start once [Log.Restore] has added the changes up to Start.
	// Zero means Start.
	Oldest Revision
	// MaxAge is how long the log keeps a change, unless MaxBytes forces it out earlier. Each Append drops older changes,
	// about a thousand at most. Without an Append, a timer drops them, by Now, at most a hundredth of MaxAge late. It
	// exists only while the log holds changes. Zero means forever.
	MaxAge time.Duration
	// MaxBytes returns how many bytes the log may hold; each Append calls it. It wins over MaxAge, but the log always
	// keeps the youngest group, because readers that are up to date must not lose their place. It must not call the log.
	// Nil means no limit.
	MaxBytes func() int64
	// Size returns how many bytes stay alive only because the log holds the change. For a store that is the size of the
	// previous state, because the store or the next change holds the current one. The log adds what it needs itself. Nil
	// means zero.
	Size func(*Change[T]) int64
	// StateSize returns how many bytes a state takes; it must accept nil. A reader gets about [PollBytes] of them at a
	// time. Nil means zero.
	StateSize func(*T) int64
	// Value returns an object's value in an index, and whether it has one, for cursors on a [Term]. It must not call the
	// log. Nil means that the log has no indexes.
	Value func(state *T, index Index) (value string, ok bool)
	// Aged is called after the timer of MaxAge has dropped changes, with the revision up to which the log has dropped all.
	// It may call the log, but not Close. Nil means that nobody needs to know.
	Aged func(compacted Revision)
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Log is a bounded sequence of changes in revision order, and the only buffer of every watch. All methods are safe for
// concurrent use.
type Log[T any] struct {
	opts LogOptions[T]

	revision  atomic.Uint64 // written under mu, atomic so that readers need no lock
	compacted atomic.Uint64

	mu       sync.RWMutex
	changes  ring[*Change[T]]
	bytes    int64
	floors   map[Key]Revision // the floors of resources for which CompactResource went beyond compacted
	topics   map[topicKey]*topic[T]
	indexes  map[string][]inUse // the indexes that topics use, by resource
	dirty    ring[*topic[T]]    // topics with news for waiting cursors
	advanced chan struct{}      // closed when the revision grows; nil if no call waits for that
	closed   bool
	kick     chan struct{} // wakes the dispatcher
	done     chan struct{} // closed when the dispatcher has ended; nil until it starts

	timer    *time.Timer    // drops the changes that are too old; nil until it is needed
	aging    bool           // the timer will fire, or its function runs
	expiring sync.WaitGroup // the function of the timer
}

// NewLog returns an empty log at revision opts.Start. It starts no goroutine until a cursor waits.
func NewLog[T any](opts LogOptions[T]) *Log[T] {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	l := &Log[T]{
		opts: opts, floors: map[Key]Revision{}, topics: map[topicKey]*topic[T]{}, indexes: map[string][]inUse{},
		kick: make(chan struct{}, 1),
	}
	l.revision.Store(uint64(opts.Start))
	l.compacted.Store(uint64(opts.Start))
	if opts.Oldest > 0 {
		l.compacted.Store(uint64(min(opts.Oldest, opts.Start)))
	}
	return l
}

// Revision returns the revision of the youngest change, or Start.
func (l *Log[T]) Revision() Revision { return Revision(l.revision.Load()) }

// Compacted returns the revision up to which the log has dropped the changes of all resources.
func (l *Log[T]) Compacted() Revision { return Revision(l.compacted.Load()) }

// Floor returns the revision up to which the log has dropped changes within a key. It is the oldest position of a new
// cursor on that key.
func (l *Log[T]) Floor(within Key) Revision {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.floor(within)
}

func (l *Log[T]) floor(within Key) Revision {
	floor := l.Compacted()
	if within != within.whole() {
		return max(floor, l.floors[within.resource()])
	}
	for resource, of := range l.floors {
		if resource.Space == within.Space {
			floor = max(floor, of)
		}
	}
	return floor
}

// Append adds changes that become visible together. Their revisions must ascend and be above Revision. The log owns the
// slice afterwards. The cost does not depend on the number of cursors. Append returns [ErrClosed] after Close. It
// returns an error and leaves the log unchanged if the revisions do not ascend.
func (l *Log[T]) Append(group []Change[T]) error {
	if len(group) == 0 {
		return nil
	}
	now := l.opts.Now().UnixNano()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	if err := l.inOrder(group); err != nil {
		return err
	}
	end := group[len(group)-1].Revision
	for i := range group {
		c := &group[i]
		l.prepare(c, end, now)
		l.changes.push(c)
		l.bytes += c.size
		l.eachTopic(c, func(t *topic[T]) { l.deliver(t, c) })
	}
	l.revision.Store(uint64(end))
	l.trim(now)
	if l.dirty.len() > 0 || l.advanced != nil {
		l.wakeDispatcher()
	}
	return nil
}

// prepare completes a change before it becomes visible.
func (l *Log[T]) prepare(c *Change[T], groupEnd Revision, at int64) {
	c.groupEnd, c.at, c.size = groupEnd, at, changeOverhead
	if l.opts.Size != nil {
		c.size += l.opts.Size(c)
	}
}

// stateSize returns how many bytes the states of a change take.
func (l *Log[T]) stateSize(c *Change[T]) int64 {
	if l.opts.StateSize == nil {
		return 0
	}
	return l.opts.StateSize(c.Previous) + l.opts.StateSize(c.Current)
}

func (l *Log[T]) inOrder(group []Change[T]) error {
	last := l.Revision()
	for i := range group {
		if group[i].Revision <= last {
			return fmt.Errorf("%w: %d follows %d", errOrder, group[i].Revision, last)
		}
		last = group[i].Revision
	}
	return nil
}

// Compact drops the changes up to and including the given revision. It drops whole groups only: a group that reaches
// beyond the revision stays.
func (l *Log[T]) Compact(through Revision) {
	for l.CompactSome(through) {
	}
}

// CompactSome is Compact that drops about a thousand changes at most, so that it does not hold others up for long. It
// reports whether there may be more to drop.
func (l *Log[T]) CompactSome(through Revision) (more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	enough := l.changes.len() - dropStep
	for l.changes.len() > 0 && l.changes.at(0).groupEnd <= through {
		if l.changes.len() <= enough {
			return true
		}
		l.dropGroup()
	}
	through = min(through, l.Revision())
	if l.changes.len() > 0 {
		through = min(through, l.changes.at(0).Revision-1)
	}
	l.compacted.Store(max(l.compacted.Load(), uint64(through))) // no change lies between the last one that was dropped and this revision
	return false
}

// CompactResource is like Compact, but only for the changes of the resource that the key covers. It does not affect
// cursors on other resources. A cursor on all resources that has yet to read the changes gets each of them without its
// states and its name. The Key of such a change names only the resource. The cursor gets removals in full, because its
// reader could not find out later which objects are gone.
func (l *Log[T]) CompactResource(resource Key, through Revision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.compactResource(resource, through)
}

// compactResource is CompactResource for a caller that holds the lock.
func (l *Log[T]) compactResource(resource Key, through Revision) {
	through = min(through, l.Revision())
	n := l.changes.search(func(c *Change[T]) bool { return c.groupEnd > through })
	if n < l.changes.len() {
		through = min(through, l.changes.at(n).Revision-1)
	}
	if through <= l.floor(resource) {
		return
	}
	maps.DeleteFunc(l.floors, func(_ Key, floor Revision) bool { return floor <= l.Compacted() })
	l.floors[resource] = through
	for _, t := range l.topics {
		if t.Key.resource() == resource {
			t.lose(through)
		}
	}
	everything := l.topics[topicKey{Key: resource.whole()}]
	for i := range n {
		c := l.changes.at(i)
		if c.Key.resource() != resource || everything != nil && c.Current == nil {
			continue
		}
		// A change without states stays, so that GroupEnd still knows the whole group.
		lost := &Change[T]{Key: resource, Revision: c.Revision,
			groupEnd: c.groupEnd, at: c.at, size: changeOverhead}
		l.bytes += lost.size - c.size
		l.changes.set(i, lost)
		if everything != nil {
			everything.replace(c, lost)
		}
	}
}

// trim drops groups until the log is within MaxAge and MaxBytes, but keeps the youngest group. It leaves some of the
// groups that are too old to later calls if they are many.
func (l *Log[T]) trim(now int64) {
	limit := int64(-1)
	if l.opts.MaxBytes != nil {
		limit = max(0, l.opts.MaxBytes())
	}
	youngest, enough := l.Revision(), l.changes.len()-dropStep
	for l.changes.len() > 0 {
		oldest := l.changes.at(0)
		tooMuch := limit >= 0 && l.bytes > limit
		if oldest.groupEnd == youngest || !tooMuch && (!l.tooOld(oldest, now) || l.changes.len() <= enough) {
			l.awaitAge(now)
			return
		}
		l.dropGroup()
	}
}

func (l *Log[T]) dropGroup() {
	end := l.changes.at(0).groupEnd
	for l.changes.len() > 0 && l.changes.at(0).groupEnd == end {
		c := l.changes.pop()
		l.bytes -= c.size
		l.eachTopic(c, func(t *topic[T]) { t.drop(c) })
	}
	l.compacted.Store(uint64(end))
}

// Since returns the changes within a key that are younger than the given revision, oldest first. Undone from the last
// to the first, they lead from the current state back to the one at that revision. It returns 410 Expired if the log no
// longer holds all of them.
func (l *Log[T]) Since(within Key, after Revision) ([]*Change[T], error) {
	changes, _, err := l.collect(topicKey{Key: within}, after)
	return changes, err
}

// GroupEnd returns the last revision of the group that contains a revision, or the revision itself if the log holds no
// such group. A reader that asks for a state at a revision must see the state at its GroupEnd, because no reader may
// see a part of a group.
func (l *Log[T]) GroupEnd(revision Revision) Revision {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i := l.changes.search(func(c *Change[T]) bool { return c.Revision >= revision })
	if i < l.changes.len() && l.changes.at(i).Revision == revision {
		return l.changes.at(i).groupEnd
	}
	return revision
}

// collect scans the log in steps, and returns the revision that it reached.
func (l *Log[T]) collect(key topicKey, after Revision) (changes []*Change[T], reached Revision, err error) {
	reached = after
	for end := false; !end; {
		l.mu.RLock()
		if err := l.readable(key.Key, after); err != nil {
			l.mu.RUnlock()
			return nil, 0, err
		}
		changes, reached, end = l.scan(key, reached, scanStep, changes)
		l.mu.RUnlock()
	}
	return changes, reached, nil
}

// scan reads at most limit entries after a revision, and appends the topic's changes among them. The caller holds the
// lock.
func (l *Log[T]) scan(key topicKey, after Revision, limit int,
	into []*Change[T]) (changes []*Change[T], reached Revision, end bool) {
	first := l.changes.search(func(c *Change[T]) bool { return c.Revision > after })
	last := min(l.changes.len(), first+limit)
	for i := first; i < last; i++ {
		c := l.changes.at(i)
		after = c.Revision
		if l.concerns(key, c) {
			into = append(into, c)
		}
	}
	return into, after, last == l.changes.len()
}

// readable returns why a cursor cannot start at a position, or nil. The caller holds the lock.
func (l *Log[T]) readable(within Key, after Revision) error {
	if l.closed {
		return ErrClosed
	}
	if floor := l.floor(within); after < floor {
		return expired(after, floor)
	}
	return nil
}

func expired(asked, oldest Revision) error {
	return status.Expired("too old resource version: " + strconv.FormatUint(uint64(asked), 10) + " (" +
		strconv.FormatUint(uint64(oldest), 10) + ")")
}

// Wait blocks until the log has reached the revision. It returns the context's error if the context ends first, and
// [ErrClosed] after Close.
func (l *Log[T]) Wait(ctx context.Context, revision Revision) error {
	for l.Revision() < revision {
		advanced, err := l.nextAdvance()
		if err != nil {
			return err
		}
		if l.Revision() >= revision { // the log advanced before the channel existed, so nothing may close it
			return nil
		}
		select {
		case <-advanced:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// nextAdvance returns a channel that is closed when the log has grown.
func (l *Log[T]) nextAdvance() (<-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	if l.advanced == nil {
		l.advanced = make(chan struct{})
		l.startDispatcher()
	}
	return l.advanced, nil
}

// Close ends every cursor and every Wait with [ErrClosed] and releases the changes. It returns when the dispatcher and
// the timer have ended.
func (l *Log[T]) Close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		l.changes, l.bytes = ring[*Change[T]]{}, 0
		for _, t := range l.topics {
			t.changes = ring[*Change[T]]{}
		}
		close(l.kick)
		l.stopAging()
	}
	done := l.done
	l.mu.Unlock()
	l.expiring.Wait()
	if done != nil {
		<-done
	}
}
